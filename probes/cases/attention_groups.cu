// O = softmax(Q K^T) V of f16 by wgmma for heads of 64: GROUPS warp groups with 64 queries each, and a warp that brings
// ROUNDS tiles of KEYS keys and values to STAGES buffers by bulk copies. Blocks with the same blockIdx.y have the same
// keys and values. Q, K and V are by rows of eight vectors of 16 bytes; row r has vector v at place v ^ r % 8 (PTX ISA,
// "128-byte swizzle"). So rows of V are along N of their multiply, and wgmma transposes them. O is by rows without the
// swizzle. TURNS_two: two groups have the tensor cores in turns. In its turn, a group issues the multiplies by a tile
// of values and by the next tile of keys; meanwhile the other one computes exponentials.
#define ACC "f32"
#define ACC_f32
#define AB "f16"
#define AB_f16
#define SPARSE 0
#define SWIZZLE 128
#define K 16
#include "async.cuh"
#include "attention_rows.cuh"

namespace by_keys {
#define COLS KEYS
#define A_shared
#include "../wgmma/multiply.cuh"
__device__ inline void multiply_first(u32 (&d)[WG_D], u64 a, u64 b) { WGMMA_NEW(d, a, b); }
__device__ inline void multiply_add(u32 (&d)[WG_D], u64 a, u64 b) { WGMMA(d, a, b, 0); }
}  // namespace by_keys
#undef COLS
#undef A_shared

namespace by_values {
#define COLS 64
#define MAJOR_mn
#include "../wgmma/multiply.cuh"
__device__ inline void multiply_add(u32 (&d)[WG_D], const u32 (&a)[4], u64 b) { WGMMA(d, a, b, 0); }
}  // namespace by_values

constexpr u32 of_group = 64, group_warps = 4, workers = GROUPS * group_warps, row_bytes = 2 * head;
constexpr u32 group_bytes = of_group * row_bytes, query_bytes = GROUPS * group_bytes;
constexpr u32 tile_bytes = KEYS * row_bytes, stage_bytes = 2 * tile_bytes;

// Addresses in shared memory.
struct Places {
  u32 queries, tiles, full, empty;
};

// The queries come with the first tile.
__device__ inline void fetch_all(const Places& to, const char* queries, const char* keys, const char* values) {
  Stage stage;
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    const u32 tile = to.tiles + stage.at * stage_bytes, full = to.full + 8 * stage.at;
    const u64 from = (u64{blockIdx.y} * ROUNDS + round) * tile_bytes;
    await(to.empty + 8 * stage.at, stage.parity ^ 1);
    expect(full, stage_bytes + (round == 0 ? query_bytes : 0));
    if (round == 0)
      bulk_load(to.queries, queries + (u64{blockIdx.y} * gridDim.x + blockIdx.x) * query_bytes, query_bytes, full);
    bulk_load(tile, keys + from, tile_bytes, full);
    bulk_load(tile + tile_bytes, values + from, tile_bytes, full);
    stage.next();
  }
}

// What a lane has of two queries: scores, their exponentials as halves, and sums of weighted values.
struct Attention {
  u32 queries, tiles, scores[KEYS / 2], weights[KEYS / 16][4], sums[head / 2] = {};
  float most[2] = {-1e30F, -1e30F}, total[2] = {};

  __device__ void score(u32 at) {
    UNROLL for (u32 i = 0; i < head / 16; ++i) {
      const u64 a = by_keys::wg_descriptor<of_group, 32>(queries, i);
      const u64 b = by_keys::wg_descriptor<KEYS, 32>(tiles + at * stage_bytes, i);
      if (i == 0)
        by_keys::multiply_first(scores, a, b);
      else
        by_keys::multiply_add(scores, a, b);
    }
  }

  __device__ void weigh(u32 at) {
    const u32 values = tiles + at * stage_bytes + tile_bytes;
    UNROLL for (u32 i = 0; i < KEYS / 16; ++i)
        by_values::multiply_add(sums, weights[i], by_values::wg_descriptor<head, 32>(values, i));
  }

  // Sums so far are scaled to the new maximum of their row.
  __device__ void exponentials() {
    float v[KEYS / 8][4];
    UNROLL for (u32 i = 0; i < KEYS / 2; ++i) v[i / 4][i % 4] = __uint_as_float(scores[i]);
    UNROLL for (u32 row = 0; row < 2; ++row) {
      float now = most[row];
      UNROLL for (u32 j = 0; j < KEYS / 8; ++j) now = fmaxf(now, fmaxf(v[j][2 * row], v[j][2 * row + 1]));
      now = row_max(now);
      const float scale = exp2_fast((most[row] - now) * to_exponent);
      most[row] = now, total[row] *= scale;
      UNROLL for (u32 j = 0; j < KEYS / 8; ++j) {
        float* const two = v[j] + 2 * row;
        UNROLL for (u32 i = 0; i < 2; ++i) { two[i] = exp2_fast(fmaf(two[i], to_exponent, -now * to_exponent)); }
        total[row] += two[0] + two[1];
      }
      UNROLL for (u32 i = 0; i < head / 2; ++i) {
        if (i % 4 / 2 == row) sums[i] = __float_as_uint(__uint_as_float(sums[i]) * scale);
      }
    }
    UNROLL for (u32 k = 0; k < KEYS / 16; ++k) to_operand(weights[k], v[2 * k], v[2 * k + 1], 1, 1);
  }

  __device__ void store(u16* to, u32 lane) const {
    const float above = reciprocal(row_sum(total[0])), below = reciprocal(row_sum(total[1]));
    float v[head / 8][4];
    HeadRows rows;
    UNROLL for (u32 i = 0; i < head / 2; ++i) v[i / 4][i % 4] = __uint_as_float(sums[i]);
    UNROLL for (u32 k = 0; k < head / 16; ++k) to_operand(rows.of[k], v[2 * k], v[2 * k + 1], above, below);
    rows.lane = lane;
    rows.store(to);
  }
};

__device__ inline void end_turn(u32 group) {
#if TURNS_two
  asm volatile("bar.arrive %0, %1;" ::"r"(2 - group), "n"(32 * workers) : "memory");
#endif
}

template <class F>
__device__ inline void take_turn(u32 group, bool last, F multiplies) {
#if TURNS_two
  asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "n"(32 * workers) : "memory");
#endif
  by_keys::wg_fence();
  multiplies();
  by_keys::wg_commit();
  if (!last || group == 0) end_turn(group);  // nobody has a turn after the last one of group 1
  by_keys::wg_wait();
}

CASE __launch_bounds__(32 * (workers + 1))
    attention_groups(const char* queries, const char* keys, const char* values, u16* out) {
  extern __shared__ __align__(1024) char stages[];
  __shared__ __align__(1024) char of_queries[query_bytes];
  __shared__ u64 barriers[2 * STAGES];
  const u32 full = shared_address(barriers);
  const Places at = {shared_address(of_queries), shared_address(stages), full, full + 8 * STAGES};
  const u32 warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0), lane = threadIdx.x % 32, group = warp / group_warps;
  initialize_stages(at.full, at.empty, 1, workers);
  if (warp == workers) {
    if (elected()) fetch_all(at, queries, keys, values);
    return;
  }
  Attention mine{at.queries + group * group_bytes, at.tiles};
  Stage stage;
  if (group == 1) end_turn(group);  // the first turn is that of group 0
  await(at.full, 0);
  take_turn(group, false, [&] { mine.score(0); });
  ROLLED for (u32 round = 1; round < ROUNDS; ++round) {
    mine.exponentials();
    const u32 before = stage.at;
    stage.next();
    await(at.full + 8 * stage.at, stage.parity);
    take_turn(group, false, [&] { mine.weigh(before), mine.score(stage.at); });
    if (lane == 0) arrive(at.empty + 8 * before);
  }
  mine.exponentials();
  take_turn(group, true, [&] { mine.weigh(stage.at); });
  mine.store(out + (u64{blockIdx.y * gridDim.x + blockIdx.x} * workers + warp) * 16 * head, lane);
}
