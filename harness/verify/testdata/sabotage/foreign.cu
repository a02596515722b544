// One popc is among the shuffles.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 b = 1 + args.zero;
  PASSES {
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      if (i == N / 2) asm volatile("popc.b32 %0, %0;" : "+r"(v));
      asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(v) : "r"(b));
    }
    window.wait(v);
    window.close();
  }
  window.report(args);
}
