// The sum of 4 KiB x ITEMS of floats by each block of 256 threads.
#include "cases.cuh"

constexpr u32 threads = 256, warps = threads / 32, together = 4;

CASE sum(const float4* __restrict__ in, float* __restrict__ out) {
  __shared__ float parts[warps];
  const u32 first = blockIdx.x * threads * ITEMS + threadIdx.x;
  float total = 0;
  ROLLED for (u32 i = 0; i < ITEMS; i += together) {
    float4 v[together];
    UNROLL for (u32 k = 0; k < together; ++k) v[k] = __ldcg(in + first + (i + k) * threads);
    UNROLL for (u32 k = 0; k < together; ++k) total += v[k].x + v[k].y + (v[k].z + v[k].w);
  }
  parts[threadIdx.x / 32] = warp_sum(total);
  __syncthreads();
  float whole = 0;
  UNROLL for (u32 i = 0; i < warps; ++i) whole += parts[i];
  out[blockIdx.x * threads + threadIdx.x] = whole;  // by all threads, so that no warp branches
}
