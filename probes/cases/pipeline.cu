// Each block of 128 threads works on ROUNDS tiles of 8 KiB, which cp.async brings to shared memory STAGES - 1 tiles
// ahead: WORK dependent multiply-adds, of 4 cycles each, follow on each tile. With VECTORS a tile has as many times
// 2 KiB. Without STAGES, plain loads and stores bring the tile before the work on it.
#include "cases.cuh"

#ifndef VECTORS
#define VECTORS 4
#endif
constexpr u32 threads = 128, vectors = VECTORS, tile = threads * vectors, chain = WORK / 4;

#if STAGES == 0
constexpr int buffers = 1;

__device__ inline void start(uint4* to, const uint4* from) {
  uint4 v[vectors];
  UNROLL for (u32 k = 0; k < vectors; ++k) v[k] = from[k * threads];
  UNROLL for (u32 k = 0; k < vectors; ++k) to[k * threads] = v[k];
}

__device__ inline void commit() {}
#define AWAIT(groups)
#else
constexpr int buffers = STAGES;

__device__ inline void start(uint4* to, const uint4* from) {
  UNROLL for (u32 k = 0; k < vectors;
              ++k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + k * threads)),
                                "l"(from + k * threads) : "memory");
}

__device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define AWAIT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
#endif

CASE pipeline(const uint4* __restrict__ in, float* __restrict__ out) {
  __shared__ uint4 stages[buffers][tile];
  const uint4* const mine = in + blockIdx.x * ROUNDS * tile + threadIdx.x;
  constexpr int ahead = buffers - 1;
  UNROLL for (int i = 0; i < ahead; ++i) {
    start(stages[i] + threadIdx.x, mine + i * tile);
    commit();
  }
  float total = 0;
  int at = 0, next = ahead;
  ROLLED for (int round = 0; round < ROUNDS; ++round) {
    // The last tiles are fetched again instead of tiles behind the end, so that every round is the same.
    const int fetched = min(round + ahead, ROUNDS - 1);
    start(stages[next] + threadIdx.x, mine + fetched * tile);
    commit();
    AWAIT(ahead);
    __syncthreads();
    UNROLL for (u32 k = 0; k < vectors; ++k) {
      const uint4 v = stages[at][threadIdx.x + k * threads];
      total += __uint_as_float(v.x & 0x3fffffff);
    }
    UNROLL for (u32 i = 0; i < chain; ++i) total = fmaf(total, 0.5F, 1.0F);
    __syncthreads();
    at = at == ahead ? 0 : at + 1;
    next = next == ahead ? 0 : next + 1;
  }
#if STAGES > 0
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  out[blockIdx.x * threads + threadIdx.x] = total;
}
