// C = A B^T of f16 with sums in f32 by wgmma: GROUPS warp groups with a tile of 64 x COLS each, and a warp that brings
// steps of 64 along K to STAGES buffers by bulk copies. A and B are stored in blocks of one step, 64 rows of A or COLS
// rows of B, in the order in which a tile needs them; a row of a step has eight vectors of 16 bytes, and row r has
// vector v at place v ^ r % 8 (PTX ISA, "128-byte swizzle"). C is by rows. With FROM_shared, the first step is used
// ROUNDS times.
#define ACC "f32"
#define ACC_f32
#define AB "f16"
#define AB_f16
#define A_shared
#define SPARSE 0
#define SWIZZLE 128
#define K 16
#include "async.cuh"
#include "../wgmma/multiply.cuh"

constexpr u32 step = 64, row_bytes = 2 * step, of_group = 64, group_warps = 4, workers = GROUPS * group_warps;
constexpr u32 a_bytes = of_group * row_bytes, b_bytes = COLS * row_bytes, stage_bytes = GROUPS * a_bytes + b_bytes;
constexpr u32 multiplies = step / 16, depth_steps = DEPTH / step;

__device__ inline void fetch(u32 to, const char* a, const char* b, u32 round, u32 full) {
  expect(full, stage_bytes);
  UNROLL for (u32 g = 0; g < GROUPS; ++g)
      bulk_load(to + g * a_bytes, a + (u64{blockIdx.y * GROUPS + g} * depth_steps + round) * a_bytes, a_bytes, full);
  bulk_load(to + GROUPS * a_bytes, b + (u64{blockIdx.x} * depth_steps + round) * b_bytes, b_bytes, full);
}

CASE __launch_bounds__(32 * (workers + 1)) hgemm_groups(const char* a, const char* b, float* c) {
  extern __shared__ __align__(1024) char stages[];
  __shared__ u64 barriers[2 * STAGES];
  const u32 base = shared_address(stages), full = shared_address(barriers), empty = full + 8 * STAGES;
  const u32 warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
  initialize_stages(full, empty, 1, workers);
  Stage stage;
  if (warp == workers) {
    if (!elected()) return;
#if FROM_shared
    fetch(base, a, b, 0, full);
#else
    ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
      await(empty + 8 * stage.at, stage.parity ^ 1);
      fetch(base + stage.at * stage_bytes, a, b, round, full + 8 * stage.at);
      stage.next();
    }
#endif
    return;
  }
  const u32 group = warp / group_warps;
  u32 sums[WG_D] = {};
  u64 of_a[multiplies], of_b[multiplies];
  UNROLL for (u32 i = 0; i < multiplies; ++i) {
    of_a[i] = wg_descriptor<of_group, 32>(base + group * a_bytes, i);
    of_b[i] = wg_descriptor<COLS, 32>(base + GROUPS * a_bytes, i);
  }
  const auto work = [&](u32 at) {
    const u64 further = at * (stage_bytes / 16);
    wg_fence();
    UNROLL for (u32 i = 0; i < multiplies; ++i) WGMMA(sums, of_a[i] + further, of_b[i] + further, 0);
    wg_commit();
  };
#if FROM_shared
  await(full, 0);
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    work(0);
    wg_wait<1>();
  }
#else
  u32 before = 0;
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    await(full + 8 * stage.at, stage.parity);
    work(stage.at);
    wg_wait<1>();
    // The multiplies of the step before have been done, so its buffer is free.
    if (lane == 0 && round > 0) arrive(empty + 8 * before);
    before = stage.at;
    stage.next();
  }
#endif
  wg_wait<0>();
  const u32 row = (blockIdx.y * GROUPS + group) * of_group + warp % group_warps * 16 + lane / 4;
  float* const to = c + u64{row} * gridDim.x * COLS + blockIdx.x * COLS + lane % 4 * 2;
  UNROLL for (u32 i = 0; i < WG_D; i += 4) {
    UNROLL for (u32 half = 0; half < 2; ++half) {
      float* const at = to + u64{half} * 8 * gridDim.x * COLS + i * 2;
      *reinterpret_cast<float2*>(at) =
          make_float2(__uint_as_float(sums[i + 2 * half]), __uint_as_float(sums[i + 2 * half + 1]));
    }
  }
}
