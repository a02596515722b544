// N trips of DEPTH stores of BYTES per lane to global memory by PATH, and a fence that waits for the last stores. By
// the sweep's ORDER, `block` (the default): the stores of all warps are adjacent, and those of a lane are a row of the
// block apart. `warp`: each warp's own stores are adjacent.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
#ifdef ORDER_warp
  constexpr u32 row = 32 * BYTES;
  Sweep sweep(args, warp() * DEPTH * row + lane() * BYTES, WARPS * DEPTH * row);
#else
  constexpr u32 row = WARPS * 32 * BYTES;
  Sweep sweep(args, threadIdx.x * BYTES, DEPTH * row);
#endif
  u32 v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(sweep.place());
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global." PATH, "l", p + i * row, v);
      sweep.next();
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
