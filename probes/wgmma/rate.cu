// N trips of STEPS wgmma by each warpgroup of the block to one accumulator, as in the main loop of a matrix product: a
// trip has a fence, a commit, and a wait for the previous trip. One trip is in flight when the window opens, so that
// the warpgroups are in step and no trip begins with idle multipliers.
#include "issue/trips.cuh"
#include "probe.cuh"
#include "wgmma/wgmma.cuh"

// Leaves registers for as many warpgroups as the size of the accumulators allows.
extern "C" __global__ void __launch_bounds__(COLS > 128 ? 256 : 512) KERNEL(const __grid_constant__ Args args) {
  extern __shared__ __align__(1024) char tiles[];
  Window window;
  WgOperands<STEPS> from(args, tiles, blockDim.x / 128);
  u32 d[WG_D];
  PASSES {
    from.load(args);
    UNROLL for (int i = 0; i < WG_D; ++i) d[i] = from.seed;
    float left = trips();
    window.ready(left);
    __syncthreads();
    wg_fence();
    UNROLL for (int i = 0; i < STEPS; ++i) WGMMA(d, from.a[i], from.b[i], from.meta);
    wg_commit();
    window.open();
    _Pragma("unroll 1") do {
      wg_fence();
      UNROLL for (int i = 0; i < STEPS; ++i) WGMMA(d, from.a[i], from.b[i], from.meta);
      wg_commit();
      wg_wait<1>();
    }
    while (again(left))
      ;
    wg_wait();
    window.close();
    window.ready(d[0]);
  }
  window.report(args);
}
