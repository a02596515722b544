// N trips of DEPTH loads of BYTES a lane from global memory by PATH; trips go round in the data, from pass to pass too.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  constexpr u32 row = 32 * BYTES;  // a warp's loads are neighbours: no distance depends on the number of warps
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
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // or ptxas would drop the loads
    }
    window.close();
  }
  window.report(args);
}
