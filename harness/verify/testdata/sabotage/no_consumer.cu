// The result is used, but only after the closing read.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 b = 1 + args.zero;
  PASSES {
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(v) : "r"(b));
    window.close();
    window.wait(v);
  }
  window.report(args);
}
