// N trips of DEPTH loads of BYTES a lane from the first half of the data, each stored to the same place of the second
// half, and a fence that waits for the last of the stores.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  constexpr u32 row = WARPS * 32 * BYTES;
  Sweep sweep(args, threadIdx.x * BYTES, DEPTH * row, 2);
  const u64 half = args.data_bytes / 2;
  u32 v[DEPTH][WORDS];
  PASSES {
    window.ready(sweep.place());
    window.ready(half);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place(), to = p + half;
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.global." PATH, "l", v[i], p + i * row);
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global", "l", to + i * row, v[i]);
      sweep.next();
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
