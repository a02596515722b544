// The lane operand is loaded before the opening read and first used behind it.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    const u32 b = input(args, 1);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(v) : "r"(b));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
