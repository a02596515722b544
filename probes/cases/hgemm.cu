// C = A B^T of f16 with sums in f32 by ldmatrix and mma.m16n8k16: warps with a tile of 64 x 32 each, one in a block or
// eight (128 x 128), in steps of 32 along K that cp.async brings STAGES - 1 ahead. A is M x K and B is N x K, both by
// rows; C is M x N. A row of a step has four vectors of 16 bytes; LAYOUT says where they are in shared memory. With
// FROM_shared, the same step is used ROUNDS times, without global memory.
#include "tensor.cuh"

constexpr u32 lanes = 32, step = 32, vectors = step / 8, threads = WARPS * lanes;
constexpr u32 down = WARPS == 8 ? 2 : 1, along = WARPS / down;  // warps
constexpr u32 of_m = 64, of_n = 32, height = down * of_m, across = along * of_n;
#if LAYOUT_padded
constexpr u32 pitch = step + 8;
#else
constexpr u32 pitch = step;
#endif
constexpr u32 stage = (height + across) * pitch;

// The vectors of one column of eight rows meet in two groups of banks, unless rows are padded, or swizzled: two rows
// fill all banks, so every second row exchanges its vectors differently.
__device__ inline u32 place(u32 row, u32 vector) {
#if LAYOUT_swizzled
  return row * pitch + (vector ^ row / 2 % vectors) * 8;
#else
  return row * pitch + vector * 8;
#endif
}

template <u32 rows>
__device__ inline void fetch(u16* to, const u16* from) {
  static_assert(rows * vectors % threads == 0);
  UNROLL for (u32 turn = 0; turn < rows * vectors / threads; ++turn) {
    const u32 i = turn * threads + threadIdx.x, row = i / vectors, vector = i % vectors;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + place(row, vector))),
                 "l"(from + row * DEPTH + vector * 8)
                 : "memory");
  }
}

__device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <u32 groups>
__device__ inline void await() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

__device__ inline void multiply_step(float (&sums)[of_m / 16][of_n / 8][4], const u16* a, const u16* b, u32 lane) {
  UNROLL for (u32 k = 0; k < step / 16; ++k) {
    u32 of_a[of_m / 16][4], of_b[of_n / 16][4];
    UNROLL for (u32 i = 0; i < of_m / 16; ++i) load_matrices(of_a[i], a + place(i * 16 + lane % 16, 2 * k + lane / 16));
    UNROLL for (u32 j = 0; j < of_n / 16; ++j)
        load_matrices(of_b[j], b + place(j * 16 + lane % 8 + lane / 16 * 8, 2 * k + lane / 8 % 2));
    UNROLL for (u32 i = 0; i < of_m / 16; ++i) UNROLL for (u32 j = 0; j < of_n / 8; ++j)
        multiply(sums[i][j], of_a[i], of_b[j / 2][j % 2 * 2], of_b[j / 2][j % 2 * 2 + 1]);
  }
}

CASE hgemm(const u16* __restrict__ a, const u16* __restrict__ b, float* __restrict__ c) {
  extern __shared__ __align__(128) u16 stages[];
  const u32 lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const u32 row = blockIdx.y * height, column = blockIdx.x * across, columns = gridDim.x * across;
  const u32 of_warp = warp / along * of_m, column_of_warp = warp % along * of_n;
  const u16 *from_a = a + row * DEPTH, *from_b = b + column * DEPTH;
  float sums[of_m / 16][of_n / 8][4] = {};
  const auto start = [&](u32 to, u32 round) {
    fetch<height>(stages + to * stage, from_a + round * step);
    fetch<across>(stages + to * stage + height * pitch, from_b + round * step);
    commit();
  };
  const auto work = [&](u32 at) {
    const u16* const now = stages + at * stage;
    multiply_step(sums, now + of_warp * pitch, now + (height + column_of_warp) * pitch, lane);
  };
#if FROM_shared
  start(0, 0);
  await<0>();
  __syncthreads();
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) work(0);
#elif STAGES == 1
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    start(0, round);
    await<0>();
    __syncthreads();
    work(0);
    __syncthreads();
  }
#else
  constexpr u32 ahead = STAGES - 1;
  UNROLL for (u32 i = 0; i < ahead; ++i) start(i, i);
  u32 at = 0, next = ahead;
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    await<ahead - 1>();
    __syncthreads();  // all warps have the tile of this round, and no longer need that of the round before
    start(next, min(round + ahead, ROUNDS - 1));
    work(at);
    at = at == ahead ? 0 : at + 1;
    next = next == ahead ? 0 : next + 1;
  }
  await<0>();
#endif
  UNROLL for (u32 i = 0; i < of_m / 16; ++i) UNROLL for (u32 j = 0; j < of_n / 8; ++j) {
    float* const to =
        c + (row + of_warp + i * 16 + lane / 4) * columns + column + column_of_warp + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(to) = make_float2(sums[i][j][0], sums[i][j][1]);
    *reinterpret_cast<float2*>(to + 8 * columns) = make_float2(sums[i][j][2], sums[i][j][3]);
  }
}
