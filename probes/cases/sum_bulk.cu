// Sums of what bulk copies bring: a warp copies tiles of BYTES to STAGES buffers, and WARPS others add their words of
// each, 16 bytes of each lane at a time. Each thread writes its sum. All blocks together go through the data once.
#include "async.cuh"

constexpr u32 threads = 32 * WARPS, turns = BYTES / 16 / threads;
static_assert(turns * 16 * threads == BYTES);

CASE sum_bulk(const char* data, u32* sums) {
  extern __shared__ __align__(128) char stages[];
  __shared__ u64 barriers[2 * STAGES];
  const u32 base = shared_address(stages), full = shared_address(barriers), empty = full + 8 * STAGES;
  const u32 warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0);
  initialize_stages(full, empty, 1, WARPS);
  Stage stage;
  if (warp == WARPS) {
    if (!elected()) return;
    ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
      await(empty + 8 * stage.at, stage.parity ^ 1);
      expect(full + 8 * stage.at, BYTES);
      bulk_load(base + stage.at * BYTES, data + (u64{round} * gridDim.x + blockIdx.x) * BYTES, BYTES,
                full + 8 * stage.at);
      stage.next();
    }
    return;
  }
  u32 sum = 0;
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    await(full + 8 * stage.at, stage.parity);
    const uint4* const mine = reinterpret_cast<const uint4*>(stages + stage.at * BYTES) + threadIdx.x;
    UNROLL for (u32 turn = 0; turn < turns; ++turn) {
      const uint4 words = mine[turn * threads];
      sum += words.x + words.y + words.z + words.w;
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(empty + 8 * stage.at);
    stage.next();
  }
  sums[blockIdx.x * threads + threadIdx.x] = sum;
}
