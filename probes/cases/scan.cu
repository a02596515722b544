// The inclusive scan of the WARPS x 32 floats of a block, ROUNDS times: of warps by shuffles, of their sums by all.
#include "cases.cuh"

constexpr u32 lanes = 32, threads = WARPS * lanes;

// A lane that has no lane so far before it adds its own value times zero, so that nothing branches.
__device__ inline float warp_scan(float v, u32 lane) {
  UNROLL for (u32 distance = 1; distance < lanes; distance *= 2) {
    const float before = __shfl_up_sync(all_lanes, v, distance);
    v += lane >= distance ? before : 0.0F;
  }
  return v;
}

CASE scan(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float sums[lanes];
  const u32 lane = threadIdx.x % lanes, warp = threadIdx.x / lanes, at = blockIdx.x * threads + threadIdx.x;
  float v = in[at];
  sums[lane] = 0;
  __syncthreads();
  ROLLED for (int round = 0; round < ROUNDS; ++round) {
    v = warp_scan(v, lane);
    sums[warp] = __shfl_sync(all_lanes, v, lanes - 1);
    __syncthreads();
    const float before = warp_scan(sums[lane], lane);
    const float mine = __shfl_sync(all_lanes, before, (warp + lanes - 1) % lanes);
    v += warp > 0 ? mine : 0.0F;
    __syncthreads();
  }
  out[at] = v;
}
