// WARPS warps write numbers to one of two buffers in shared memory, and as many others add what they wrote, while the
// first ones go on with the other buffer. They tell each other by mbarriers or by barriers of the block (BY).
#include "async.cuh"

constexpr u32 threads = 32 * WARPS;

__device__ inline void told(u32 barrier, u32 parity, u32 number) {
#if BY_mbarrier
  await(barrier, parity);
#else
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(2 * threads) : "memory");
#endif
}

__device__ inline void tell(u32 barrier, u32 number) {
#if BY_mbarrier
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(barrier);
#else
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "n"(2 * threads) : "memory");
#endif
}

CASE relay(u32* sums) {
  __shared__ u32 buffers[STAGES][WORDS][threads];
  __shared__ u64 barriers[2 * STAGES];
  const u32 full = shared_address(barriers), me = threadIdx.x % threads;
  if (threadIdx.x == 0) {
    UNROLL for (u32 i = 0; i < 2 * STAGES; ++i) initialize(full + 8 * i, WARPS);
    initialized();
  }
  __syncthreads();
  u32 sum = 0;
  Stage stage;
  if (threadIdx.x < threads) {
    ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
#if BY_mbarrier
      told(full + 8 * (STAGES + stage.at), stage.parity ^ 1, 0);
#else
      if (round >= STAGES) told(0, 0, 1 + STAGES + stage.at);
#endif
      UNROLL for (u32 i = 0; i < WORDS; ++i) buffers[stage.at][i][me] = round * WORDS + i + me;
      tell(full + 8 * stage.at, 1 + stage.at);
      stage.next();
    }
  } else {
    ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
      told(full + 8 * stage.at, stage.parity, 1 + stage.at);
      UNROLL for (u32 i = 0; i < WORDS; ++i) sum += buffers[stage.at][i][threads - 1 - me];
#if BY_mbarrier
      tell(full + 8 * (STAGES + stage.at), 0);
#else
      if (round + STAGES < ROUNDS) tell(0, 1 + STAGES + stage.at);
#endif
      stage.next();
    }
    sums[blockIdx.x * threads + me] = sum;
  }
}
