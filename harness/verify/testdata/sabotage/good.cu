// What every other file here is a spoiled copy of: a chain of N shuffles, inputs ready before, last result read inside.
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
    window.wait(v);
    window.close();
  }
  window.report(args);
}
