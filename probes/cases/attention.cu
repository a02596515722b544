// O = softmax(Q K^T) V of f16: each warp has ROUNDS tiles of 16 queries against one tile of 64 keys and values in
// shared memory, for a head of 64. SCORES_registers keeps scores in registers, SCORES_shared writes them to shared
// memory. The queries of a round are the output of the one before (QUERIES_kept), or come from global memory and go
// back to it.
#include "attention_rows.cuh"

constexpr u32 lanes = 32, tile = 64, height = 16, threads = WARPS * lanes;
constexpr u32 pitch = head + 8;  // halves; eight rows of 144 bytes are in different banks

#if SCORES_registers
#include "attention_registers.cuh"
#else
#include "attention_shared.cuh"
#endif

__device__ inline void fetch_tile(u16* to, const u16* from) {
  constexpr u32 vectors = head / 8;
  UNROLL for (u32 turn = 0; turn < tile * vectors / threads; ++turn) {
    const u32 i = turn * threads + threadIdx.x;
    *reinterpret_cast<uint4*>(to + i / vectors * pitch + i % vectors * 8) = reinterpret_cast<const uint4*>(from)[i];
  }
}

CASE attention(const u16* __restrict__ queries, const u16* __restrict__ keys, const u16* __restrict__ values,
               u16* __restrict__ out) {
  __shared__ __align__(128) u16 of_keys[tile * pitch];
  __shared__ __align__(128) u16 of_values[tile * pitch];
  extern __shared__ __align__(128) char scratch[];
  fetch_tile(of_keys, keys);
  fetch_tile(of_values, values);
  __syncthreads();
  const u32 lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
#if QUERIES_global
  constexpr u32 apart = height * head;
#else
  constexpr u32 apart = 0;
#endif
  const u32 first = (blockIdx.x * WARPS + warp) * (apart > 0 ? ROUNDS : 1) * height * head;
  Queries mine(scratch, warp, lane);
  mine.load(queries + first);
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    mine.attend(of_keys, of_values);
    if (apart > 0) {
      mine.store(out + first + round * apart);
      mine.load(queries + first + min(round + 1, ROUNDS - 1) * apart);
    }
  }
  if (apart == 0) mine.store(out + first);
}
