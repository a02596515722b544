// How often each of 256 bytes occurs in 4 KiB x ITEMS, in shared memory, by each block of 256 threads.
#include "cases.cuh"

constexpr u32 threads = 256, bins = 256;

CASE histogram(const uint4* __restrict__ in, u32* __restrict__ out) {
  __shared__ u32 counts[bins];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const u32 first = blockIdx.x * threads * ITEMS + threadIdx.x;
  ROLLED for (u32 i = 0; i < ITEMS; ++i) {
    const uint4 v = __ldcg(in + first + i * threads);
    const u32 words[4] = {v.x, v.y, v.z, v.w};
    UNROLL for (int w = 0; w < 4; ++w) UNROLL for (int b = 0; b < 32; b += 8)
        atomicAdd(counts + (words[w] >> b & 255), 1);
  }
  __syncthreads();
  out[blockIdx.x * bins + threadIdx.x] = counts[threadIdx.x];
}
