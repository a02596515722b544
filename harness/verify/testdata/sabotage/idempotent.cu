// The lane is a constant: after the first shuffle every lane holds the same value.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 b = 1 + args.zero;
  PASSES {
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("shfl.sync.idx.b32 %0, %0, 3, 31, 0xffffffff;" : "+r"(v));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
