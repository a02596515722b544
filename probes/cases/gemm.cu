// C = A B^T of f16 with sums in f32: WARPS warps, each a tile of 32 x 32 (64 with eight warps) by ldmatrix and
// mma.m16n8k16, in steps of 32 along K. A is M x K and B is N x K, both by rows; C is M x N. The warps of a block are
// next to each other along M. With FROM_shared, the same step in shared memory is used ROUNDS times, without global
// memory.
#include "cases.cuh"

constexpr u32 lanes = 32, edge = 32, step = 32, threads = WARPS * lanes;
constexpr u32 height = WARPS * edge;  // of the block's tile of C
constexpr u32 across = WARPS < 4 ? 32 : 8 * WARPS;
constexpr u32 pitch = step + 8;  // halves; rows of 80 bytes are in different banks for ldmatrix

struct Fragments {
  u32 a[2][4], b[across / 8][2];
};

__device__ inline void load_four(u32 (&to)[4], const u16* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(from))
               : "memory");
}

// The fragments of 16 halves along K that begin at `k`.
__device__ inline void load_fragments(Fragments& to, const u16* a, const u16* b, u32 k, u32 lane) {
  UNROLL for (u32 i = 0; i < 2; ++i) load_four(to.a[i], a + (i * 16 + lane % 16) * pitch + k + lane / 16 * 8);
  UNROLL for (u32 j = 0; j < across / 16; ++j) {
    u32 four[4];
    load_four(four, b + (j * 16 + lane % 8 + lane / 16 * 8) * pitch + k + lane / 8 % 2 * 8);
    to.b[2 * j][0] = four[0], to.b[2 * j][1] = four[1], to.b[2 * j + 1][0] = four[2], to.b[2 * j + 1][1] = four[3];
  }
}

__device__ inline void multiply(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Copies `rows` rows of a step to shared memory, 16 bytes a thread and turn.
template <u32 rows>
__device__ inline void fetch(u16* to, const u16* from) {
  constexpr u32 vectors = step / 8;
  static_assert(rows * vectors % threads == 0);
  UNROLL for (u32 turn = 0; turn < rows * vectors / threads; ++turn) {
    const u32 i = turn * threads + threadIdx.x;
    const u32 row = i / vectors, column = i % vectors * 8;
    *reinterpret_cast<uint4*>(to + row * pitch + column) = *reinterpret_cast<const uint4*>(from + row * DEPTH + column);
  }
}

CASE gemm(const u16* __restrict__ a, const u16* __restrict__ b, float* __restrict__ c) {
  __shared__ alignas(16) u16 of_a[height * pitch];
  __shared__ alignas(16) u16 of_b[across * pitch];
  const u32 lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const u32 row = blockIdx.y * height, column = blockIdx.x * across, columns = gridDim.x * across;
  const u16 *from_a = a + row * DEPTH, *from_b = b + column * DEPTH;
  const u16* const mine = of_a + warp * edge * pitch;
  float sums[2][across / 8][4] = {};
#if FROM_shared
  fetch<height>(of_a, from_a);
  fetch<across>(of_b, from_b);
  __syncthreads();
#endif
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
#if !FROM_shared
    fetch<height>(of_a, from_a + round * step);
    fetch<across>(of_b, from_b + round * step);
    __syncthreads();
#endif
    UNROLL for (u32 k = 0; k < step; k += 16) {
      Fragments now;
      load_fragments(now, mine, of_b, k, lane);
      UNROLL for (u32 i = 0; i < 2; ++i) UNROLL for (u32 j = 0; j < across / 8; ++j)
          multiply(sums[i][j], now.a[i], now.b[j]);
    }
#if !FROM_shared
    __syncthreads();
#endif
  }
  UNROLL for (u32 i = 0; i < 2; ++i) UNROLL for (u32 j = 0; j < across / 8; ++j) {
    float* const to = c + (row + warp * edge + i * 16 + lane / 4) * columns + column + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(to) = make_float2(sums[i][j][0], sums[i][j][1]);
    *reinterpret_cast<float2*>(to + 8 * columns) = make_float2(sums[i][j][2], sums[i][j][3]);
  }
}
