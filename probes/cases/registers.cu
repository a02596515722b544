// Each thread keeps VALUES sums, and adds what it loads to all of them, ROUNDS times. With fewer registers than sums
// some are spilled to local memory; with more, fewer warps are on an SM to hide the loads.
#include "cases.cuh"

constexpr u32 threads = 256;

#ifdef MAXNREG
#define LIMITED extern "C" __global__ void __maxnreg__(MAXNREG)
#else
#define LIMITED extern "C" __global__ void __launch_bounds__(256, AT_LEAST)
#endif

LIMITED registers(const float* __restrict__ in, float* __restrict__ out) {
  const float* from = in + blockIdx.x * threads * ROUNDS + threadIdx.x;
  float sums[VALUES];
  UNROLL for (u32 i = 0; i < VALUES; ++i) sums[i] = static_cast<float>(i);
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    const float v = from[round * threads];
    // Each sum reads its neighbour, so that no two become one.
    UNROLL for (u32 i = 0; i < VALUES; ++i) sums[i] = fmaf(sums[(i + 1) % VALUES], 0.5F, v);
  }
  float total = 0;
  UNROLL for (u32 i = 0; i < VALUES; ++i) total = fmaf(total, 0.75F, sums[i]);
  out[blockIdx.x * threads + threadIdx.x] = total;
}
