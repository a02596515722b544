// N trips of DEPTH stores of BYTES per lane. Every warp and store has its own 4 KiB, in which the lanes are args.at
// times BYTES apart, or adjacent and args.at bytes after the start. A fence waits for the last stores.
#include "probe.cuh"
#include "bandwidth/apart.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = WARPS * room;
  Window window;
  Sweep sweep(args, warp() * room + apart(args), DEPTH * row);
  u32 v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(sweep.place());
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global", "l", p + i * row, v);
      sweep.next();
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
