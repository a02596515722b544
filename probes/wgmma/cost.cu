// N times the instructions that surround a wgmma, with none in flight.
#include "probe.cuh"

PROBE {
  Window window;
  PASSES {
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#if defined(WHAT_fence)
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#elif defined(WHAT_commit)
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#elif defined(WHAT_wait)
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#else
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    }
    window.close();
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  window.report(args);
}
