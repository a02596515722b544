// N trips of DEPTH accesses BY ld (past L1) or st of BYTES per lane. The lanes are STRIDE times BYTES apart and the
// warps' accesses follow one another, so that all of them together touch every STRIDE-th word of the data. A fence
// waits for the last stores.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES * STRIDE;
  Window window;
  Sweep sweep(args, warp() * DEPTH * row + lane() * BYTES * STRIDE, WARPS * DEPTH * row);
#ifdef BY_st
  u32 v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
#else
  u32 v[DEPTH][WORDS];
#endif
  PASSES {
    window.ready(sweep.place());
#ifdef BY_st
    window.ready(v);
#endif
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
#ifdef BY_st
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global", "l", p + i * row, v);
      sweep.next();
#else
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.global.cg", "l", v[i], p + i * row);
      sweep.next();
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // otherwise ptxas would drop the loads
#endif
    }
#ifdef BY_st
    __threadfence();
#endif
    window.close();
  }
  window.report(args);
}
