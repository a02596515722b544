// A tile of 32 x 32 floats is transposed in shared memory ROUNDS times by a block of 32 x 8 threads.
#include "cases.cuh"

constexpr u32 edge = 32, rows = 8, each = edge / rows;

#if VARIANT_padded
constexpr u32 pitch = edge + 1;
#else
constexpr u32 pitch = edge;
#endif

__device__ inline u32 place(u32 row, u32 column) {
#if VARIANT_swizzled
  return row * pitch + (column ^ row);
#else
  return row * pitch + column;
#endif
}

CASE transpose_shared(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float tile[edge * pitch];
  const u32 x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * edge * edge;
  float v[each];
  UNROLL for (u32 i = 0; i < each; ++i) v[i] = in[first + (y + i * rows) * edge + x];
  ROLLED for (int round = 0; round < ROUNDS; ++round) {
    UNROLL for (u32 i = 0; i < each; ++i) tile[place(y + i * rows, x)] = v[i];
    __syncthreads();
    UNROLL for (u32 i = 0; i < each; ++i) v[i] = tile[place(x, y + i * rows)];
    __syncthreads();
  }
  UNROLL for (u32 i = 0; i < each; ++i) out[first + (y + i * rows) * edge + x] = v[i];
}
