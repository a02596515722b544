// A short kernel: N dependent multiplications. Only the first block stores its clock readings; the others end after the
// window.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = threadIdx.x;
  const u32 factor = blockIdx.x | 1;
  PASSES {
    window.ready(v);
    window.ready(factor);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(v) : "r"(factor));
    window.wait(v);
    window.close();
  }
  if (blockIdx.x == 0) window.report(args);
}
