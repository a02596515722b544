// A matrix of TILES x TILES tiles of 64 x 64 halves, a tile by a block of 32 x 4 threads. Through shared memory a lane
// moves two halves, and transposes 2 x 2 of them in registers. With movmatrix each warp has a quarter of the tile in
// registers, and a lane moves eight halves.
#include "cases.cuh"

constexpr u32 edge = 64, width = TILES * edge / 2;  // words of a row

#if VARIANT_movmatrix
__device__ inline u32 transposed(u32 v) {
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(v));
  return v;
}

// Rows and columns of the 8 x 8 matrices are not next to each other: they are chosen so that a lane has eight halves in
// a row of the input before, and of the output after it.
__device__ inline u32 line_of(u32 matrix, u32 i) { return i / 2 * 8 + matrix * 2 + i % 2; }

CASE transpose_half(const u32* __restrict__ in, u32* __restrict__ out) {
  const u32 i = threadIdx.x / 4, four = threadIdx.x % 4 * 4;
  const u32 row = blockIdx.y * edge + threadIdx.y / 2 * 32, column = blockIdx.x * edge + threadIdx.y % 2 * 32;
  u32 v[4][4], t[4][4];
  UNROLL for (u32 g = 0; g < 4; ++g) {
    const uint4 all = *reinterpret_cast<const uint4*>(in + (row + line_of(g, i)) * width + column / 2 + four);
    v[g][0] = all.x, v[g][1] = all.y, v[g][2] = all.z, v[g][3] = all.w;
  }
  UNROLL for (u32 g = 0; g < 4; ++g) UNROLL for (u32 r = 0; r < 4; ++r) t[r][g] = transposed(v[g][r]);
  UNROLL for (u32 r = 0; r < 4; ++r) {
    u32* const to = out + (column + line_of(r, i)) * width + row / 2 + four;
    *reinterpret_cast<uint4*>(to) = make_uint4(t[r][0], t[r][1], t[r][2], t[r][3]);
  }
}
#else
constexpr u32 words = edge / 2, warps = 4;

// Where a word of the tile is. Padded by a word after two rows, or swizzled by pairs of rows, the words of a column in
// every second row are in 32 banks.
__device__ inline u32 place(u32 row, u32 word) {
#if VARIANT_padded
  return row * words + row / 2 + word;
#elif VARIANT_swizzled
  return row * words + (word ^ row / 2);
#else
  return row * words + word;
#endif
}

CASE transpose_half(const u32* __restrict__ in, u32* __restrict__ out) {
  __shared__ u32 tile[edge * words + edge / 2];
  const u32 x = threadIdx.x, y = threadIdx.y;
  const u32 row = blockIdx.y * edge, column = blockIdx.x * edge;
  UNROLL for (u32 i = 0; i < edge; i += warps) tile[place(y + i, x)] = in[(row + y + i) * width + column / 2 + x];
  __syncthreads();
  UNROLL for (u32 i = 0; i < words; i += warps) {
    const u32 above = tile[place(2 * x, y + i)], below = tile[place(2 * x + 1, y + i)];
    u32* const to = out + (column + 2 * (y + i)) * width + row / 2 + x;
    to[0] = __byte_perm(above, below, 0x5410);
    to[width] = __byte_perm(above, below, 0x7632);
  }
}
#endif
