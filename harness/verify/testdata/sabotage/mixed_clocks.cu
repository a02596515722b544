// The window opens with the 64-bit counter and closes with its lower half.
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
    u32 closed;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(closed)::"memory");
    window.closed = closed;
  }
  window.report(args);
}
