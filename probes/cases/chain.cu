// Each thread has one chain of 128 dependent FFMA in each round. Four warps fill the issue slots of a sub-partition.
#include "cases.cuh"

CASE chain(const float* __restrict__ in, float* __restrict__ out) {
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = in[thread];
  float v = first;
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    UNROLL for (u32 i = 0; i < 128; ++i) v = fmaf(v, 0.5F, first);
  }
  out[thread] = v;
}
