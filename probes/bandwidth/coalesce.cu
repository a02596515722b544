// N trips of DEPTH loads of BYTES per lane past L1. Every warp and load has its own 4 KiB, in which the lanes are
// args.at times BYTES apart, or adjacent and args.at bytes after the start.
#include "probe.cuh"
#include "bandwidth/apart.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = WARPS * room;
  Window window;
  Sweep sweep(args, warp() * room + apart(args), DEPTH * row);
  u32 v[DEPTH][WORDS];
  PASSES {
    window.ready(sweep.place());
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.global.cg", "l", v[i], p + i * row);
      sweep.next();
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // otherwise ptxas would drop the loads
    }
    window.close();
  }
  window.report(args);
}
