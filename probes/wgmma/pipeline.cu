// N tiles through STAGES buffers of shared memory. A thread of a fifth warp copies each, 64 rows of A and COLS of B of
// STEPS x 16 halves, by two bulk copies to an mbarrier; a warpgroup waits for it, multiplies it by STEPS wgmma while the
// product before may still run, and then gives back the buffer of that one by an arrival at a second mbarrier. Of each
// matrix, one part in PART is copied: the multiplies are the same, and the copies are fewer bytes.
#include "issue/trips.cuh"
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "wgmma/wgmma.cuh"

#ifndef PART
#define PART 1
#define STEPS 4
#endif
constexpr u32 step_bytes = 32, a_bytes = 64 * STEPS * step_bytes, tile_bytes = (64 + COLS) * STEPS * step_bytes;

// The buffer of a tile, and the parity of its turns.
struct Place {
  u32 at = 0, parity = 0;
  __device__ __forceinline__ void next() {
    ++at;
    if (at == STAGES) at = 0, parity ^= 1;
  }
};

// Each pass copies other tiles; all blocks together go through the data.
__device__ __forceinline__ void produce(const Args& args, u32 tiles, u32 full, u32 empty) {
  u32 late = none_late(args);
  Place place;
  const u32 count = static_cast<u32>(args.data_bytes / tile_bytes);
  u32 tile = static_cast<u32>((launch_hash(args) + blockIdx.x) % count);
  _Pragma("unroll 1") for (u32 pass = 0; pass < args.passes; ++pass) {
    asm volatile("bar.sync 1, 160;" ::: "memory");
    if (elected()) {
      _Pragma("unroll 1") for (u32 i = 0; i < N; ++i) {
        const u32 to = tiles + place.at * tile_bytes, barrier = full + place.at * 8;
        const u64 from = reinterpret_cast<u64>(args.data) + u64{tile} * tile_bytes;
        await_over(late, empty + place.at * 8, place.parity ^ 1);
        expect(barrier, tile_bytes / PART);
        bulk_load(to, from, a_bytes / PART, barrier);
        bulk_load(to + a_bytes, from + a_bytes, (tile_bytes - a_bytes) / PART, barrier);
        place.next();
        tile += gridDim.x;
        if (tile >= count) tile -= count;
      }
    }
    __syncwarp();
  }
  count_fact(args, 0, late);
}

// One lane of each warp.
__device__ __forceinline__ void give_back(u32 barrier, u32 of_lane) {
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; @p mbarrier.arrive.shared::cta.b64 _, [%0]; }" ::"r"(barrier),
               "r"(of_lane) : "memory");
}

PROBE {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ u64 words[2 * STAGES + 1];
  const u32 base = shared_address(tiles), full = shared_address(words), empty = full + STAGES * 8;
  for (u32 i = threadIdx.x; i < 2 * STAGES + 1; i += blockDim.x)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(full + i * 8), "r"(i < STAGES ? 1 : 4) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  wg_fill(args, tiles, STAGES * tile_bytes);
  if (warp() == 4) return produce(args, base, full, empty);
  Window window;
  Place place;
  u32 d[WG_D], late = none_late(args);
  const u32 of_lane = lane() + (input(args, 1) & args.zero);  // otherwise read again inside the window
  UNROLL for (int i = 0; i < WG_D; ++i) d[i] = input(args, 0);
  const u32 first = __shfl_sync(~0u, base + args.zero, 0);
  u64 a[STEPS], b[STEPS];
  UNROLL for (u32 i = 0; i < STEPS; ++i) a[i] = wg_descriptor<64, step_bytes>(first, i);
  UNROLL for (u32 i = 0; i < STEPS; ++i) b[i] = wg_descriptor<COLS, step_bytes>(first + a_bytes, i);
  PASSES {
    float left = trips();
    // One wgmma before the window; otherwise the accumulator would be moved to its registers inside it.
    wg_fence();
    WGMMA(d, a[0], b[0], 0);
    wg_commit();
    wg_wait();
    window.ready(d[0]);
    window.ready(left);
    window.ready(of_lane);
    asm volatile("bar.sync 1, 160;" ::: "memory");
    u32 before = STAGES;  // before the first tile, nothing is given back: nobody waits at this barrier
    window.open();
    _Pragma("unroll 1") do {
      await_over(late, full + place.at * 8, place.parity);
      const u64 shift = place.at * (tile_bytes / 16);
      wg_fence();
      UNROLL for (u32 i = 0; i < STEPS; ++i) WGMMA(d, a[i] + shift, b[i] + shift, 0);
      wg_commit();
      wg_wait<1>();
      give_back(empty + before * 8, of_lane);
      before = place.at;
      place.next();
    }
    while (again(left))
      ;
    wg_wait();
    window.close();
    give_back(empty + before * 8, of_lane);
    window.ready(d[0]);
  }
  count_fact(args, 0, late);
  window.report(args);
}
