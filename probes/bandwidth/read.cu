// N trips of DEPTH loads of BYTES per lane from global memory by PATH. Trips wrap around in the data, also from pass to
// pass.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  constexpr u32 row = 32 * BYTES;  // a warp's loads are adjacent, so that no distance depends on the number of warps
  Sweep sweep(args, warp() * DEPTH * row + lane() * BYTES, (blockDim.x >> 5) * DEPTH * row);
  u32 v[DEPTH][WORDS];
  PASSES {
    window.ready(sweep.place());
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.global." PATH, "l", v[i], p + i * row);
      sweep.next();
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // otherwise ptxas would drop the loads
    }
    window.close();
  }
  window.report(args);
}
