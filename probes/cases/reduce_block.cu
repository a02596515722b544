// A block adds one word of each of its WARPS warps' threads, ROUNDS times; all threads get the sum, which goes into the
// next round. By shuffles or redux in each warp and then in all warps, by a tree in shared memory, or by a loop over
// all words as the compiler makes it.
#include "cases.cuh"

constexpr u32 lanes = 32, threads = WARPS * lanes;

__device__ inline u32 sum_of_warp(u32 v) {
#if METHOD_redux
  asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(v));
  return v;
#else
  return across_warp(v, [](u32 a, u32 b) { return a + b; });
#endif
}

CASE reduce_block(const u32* __restrict__ in, u32* __restrict__ out) {
  __shared__ u32 words[threads];
  const u32 thread = blockIdx.x * threads + threadIdx.x;
  u32 v = in[thread];
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    v += thread ^ round;
#if METHOD_shuffle || METHOD_redux
    v = sum_of_warp(v);
    if (threadIdx.x % lanes == 0) words[threadIdx.x / lanes] = v;
    __syncthreads();
    v = threadIdx.x % lanes < WARPS ? words[threadIdx.x % lanes] : 0;
    v = sum_of_warp(v);
#elif METHOD_tree
    words[threadIdx.x] = v;
    UNROLL for (u32 distance = threads / 2; distance > 0; distance /= 2) {
      __syncthreads();
      if (threadIdx.x < distance) words[threadIdx.x] += words[threadIdx.x + distance];
    }
    __syncthreads();
    v = words[0];
#else
    words[threadIdx.x] = v;
    __syncthreads();
    v = 0;
    for (u32 i = 0; i < threads; ++i) v += words[i];
#endif
    __syncthreads();
  }
  out[thread] = v;
}
