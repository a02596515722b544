// A matrix of TILES x TILES tiles of 32 x 32 floats, a tile by a block of 32 x 8 threads.
#include "cases.cuh"

constexpr u32 edge = 32, rows = 8, width = TILES * edge;

#if VARIANT_padded
constexpr u32 pitch = edge + 1;
#else
constexpr u32 pitch = edge;
#endif

// Where an element of the tile is in shared memory. The swizzle keeps both a row and a column in 32 banks.
__device__ inline u32 place(u32 row, u32 column) {
#if VARIANT_swizzled
  return row * pitch + (column ^ row);
#else
  return row * pitch + column;
#endif
}

CASE transpose(const float* __restrict__ in, float* __restrict__ out) {
  const u32 x = threadIdx.x, y = threadIdx.y;
  const u32 column = blockIdx.x * edge, row = blockIdx.y * edge;
#if VARIANT_naive
  UNROLL for (u32 i = 0; i < edge; i += rows) out[(column + x) * width + row + y + i] =
      in[(row + y + i) * width + column + x];
#else
  __shared__ float tile[edge * pitch];
  UNROLL for (u32 i = 0; i < edge; i += rows) tile[place(y + i, x)] = in[(row + y + i) * width + column + x];
  __syncthreads();
  UNROLL for (u32 i = 0; i < edge; i += rows) out[(column + y + i) * width + row + x] = tile[place(x, y + i)];
#endif
}
