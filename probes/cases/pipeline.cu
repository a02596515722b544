// Each block of 128 threads works on ROUNDS tiles of 8 KiB, which are brought to shared memory STAGES - 1 tiles ahead:
// WORK dependent multiply-adds, of 4 cycles each, follow on each tile. With VECTORS a tile has as many times 2 KiB.
#include "tile_copies.cuh"

constexpr u32 chain = WORK / 4;

CASE pipeline(const uint4* __restrict__ in, float* __restrict__ out) {
  __shared__ uint4 stages[buffers][tile];
  const uint4* const mine = in + blockIdx.x * ROUNDS * tile + threadIdx.x;
  Copies copies;
  UNROLL for (int i = 0; i < ahead; ++i) {
    copies.begin();
    copies.start(stages[i] + threadIdx.x, mine + i * tile);
    copies.commit();
  }
  float total = 0;
  int at = 0, next = ahead;
  ROLLED for (int round = 0; round < ROUNDS; ++round) {
    // The last tiles are fetched again instead of tiles behind the end, so that every round is the same.
    const int fetched = min(round + ahead, ROUNDS - 1);
    copies.begin();
    copies.start(stages[next] + threadIdx.x, mine + fetched * tile);
    copies.commit();
    copies.wait();
    UNROLL for (u32 k = 0; k < vectors; ++k) {
      const uint4 v = stages[at][threadIdx.x + k * threads];
      total += __uint_as_float(v.x & 0x3fffffff);
    }
    UNROLL for (u32 i = 0; i < chain; ++i) total = fmaf(total, 0.5F, 1.0F);
    copies.release();
    at = at == ahead ? 0 : at + 1;
    next = next == ahead ? 0 : next + 1;
  }
  copies.end();
  out[blockIdx.x * threads + threadIdx.x] = total;
}
