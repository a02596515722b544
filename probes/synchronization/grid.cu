// N barriers of the grid: each block's first thread adds to a word and loads it until all blocks have; before and after
// that, the block's threads wait for each other.
#include "probe.cuh"

__device__ __forceinline__ void wait_for(u32* arrived, u32 goal) {
  u32 seen;
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
  while (seen < goal);
}

PROBE {
  Window window;
  u32* const arrived = args.facts + 8;  // zeroed before each launch
  u32 goals[N + 1], goal = 0;
  const u32 one = 1 + (input(args, 0) & args.zero), thread = threadIdx.x + (input(args, 2) & args.zero);
  PASSES {
    UNROLL for (int i = 0; i <= N; ++i) goals[i] = goal += gridDim.x + (input(args, 1) & args.zero);
    window.ready(one);
    window.ready(thread);
    window.ready(goals);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      __syncthreads();
      if (thread == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(arrived), "r"(one) : "memory");
        wait_for(arrived, goals[i]);
      }
      __syncthreads();
    }
    window.close();
    // All windows are closed before the next pass can disturb them. With a loop after it, like the opening read, the
    // closing read is the same instruction for sm_120.
    if (thread == 0) {
      window.ready(atomicAdd(arrived, one));
      wait_for(arrived, goals[N]);
    }
    __syncthreads();
  }
  window.report(args);
}
