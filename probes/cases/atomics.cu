// Atomic operations on global memory, where the lanes of all blocks meet in few places or in many.
#include "cases.cuh"

// Each thread adds ITEMS words to the bins that their lowest bits name.
CASE histogram_global(const u32* __restrict__ in, u32* bins, u32 mask) {
  ROLLED for (u32 i = 0; i < ITEMS; ++i) {
    const u32 word = in[(blockIdx.x * ITEMS + i) * blockDim.x + threadIdx.x];
    atomicAdd(bins + (word & mask), 1U);
  }
}

// The sum of each warp is added to one float.
CASE sum_atomic(const float* __restrict__ in, float* sum) {
  const float v = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

// The positive ones of the words are put next to each other, in any order.
CASE compact(const float* __restrict__ in, u32* count, float* out, u32 mask) {
  const float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (v > 0) out[atomicAdd(count, 1U) & mask] = v;
}

// Rows of 128 floats are added to those that their indices name.
CASE index_add(const float* __restrict__ in, const u32* __restrict__ indices, float* out, u32 mask) {
  const u32 row = blockIdx.x * (blockDim.x / 128) + threadIdx.x / 128, column = threadIdx.x % 128;
  atomicAdd(out + (indices[row] & mask) * 128 + column, in[row * 128 + column]);
}
