// A barrier of the grid, N times: each block's first thread adds to a word and loads it until all have; before and after,
// the block's threads wait for each other.
#include "probe.cuh"

PROBE {
  Window window;
  u32* const arrived = reinterpret_cast<u32*>(args.facts + 8);  // zeroed before each launch
  u32 goal = 0;
  const u32 one = 1 + (input(args, 0) & args.zero);
  PASSES {
    window.ready(one);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      __syncthreads();
      goal += gridDim.x;
      if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(arrived), "r"(one) : "memory");
        u32 seen;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
        while (seen < goal);
      }
      __syncthreads();
    }
    window.close();
  }
  window.report(args);
}
