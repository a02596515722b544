// Each warp reduces its 32 words ROUNDS times; what a round gives goes into the next.
#include "cases.cuh"

constexpr u32 lanes = 32;

CASE reduce(const u32* __restrict__ in, u32* __restrict__ out) {
  const u32 thread = blockIdx.x * WARPS * lanes + threadIdx.x;
  u32 v = in[thread];
#if METHOD_shared
  __shared__ u32 words[WARPS * lanes];
  u32* const mine = words + threadIdx.x / lanes * lanes;
  const u32 lane = threadIdx.x % lanes;
#endif
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    v += thread ^ round;
#if METHOD_shuffle
    v = across_warp(v, [](u32 a, u32 b) { return a + b; });
#elif METHOD_redux
    asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(v));
#else
    // Half as many words in each step: every lane adds, so that no lane branches.
    UNROLL for (u32 distance = 16; distance > 0; distance /= 2) {
      mine[lane] = v;
      __syncwarp();
      v += mine[lane ^ distance];
      __syncwarp();
    }
#endif
  }
  out[thread] = v;
}
