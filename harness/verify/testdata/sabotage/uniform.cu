// The value is the same in every lane, so every shuffle of it is itself.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = args.passes;
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
