// All warps have ended their windows when one of them empties L1.
#include "probe.cuh"

PROBE {
  Window window;
  u64 p = reinterpret_cast<u64>(args.data) + threadIdx.x * 8;
  PASSES {
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
    window.wait(p);
    window.close();
  }
  __syncthreads();
  __threadfence();
  window.report(args);
}
