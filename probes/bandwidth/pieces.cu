// N trips of DEPTH loads or stores (WAY) of BYTES per lane, which go down a column of pieces of PIECE bytes: one piece in
// each of ROWS rows, which begin PITCH bytes apart, then the next column, and after the last column the next rows. So
// two neighbours in a row are ROWS pieces apart in time, as they are where a matrix is transposed in tiles.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  constexpr u32 row = WARPS * 32 * BYTES;
  Sweep sweep(args, 0, DEPTH * row);
  const u32 mine = threadIdx.x * BYTES;
  u32 v[DEPTH][WORDS];
  UNROLL for (int i = 0; i < DEPTH; ++i) {
    UNROLL for (int word = 0; word < WORDS; ++word) v[i][word] = input(args, word);
  }
  PASSES {
    window.ready(sweep.place());
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (u32 i = 0; i < DEPTH; ++i) {
        const u32 at = sweep.at + mine + i * row, piece = at / PIECE;
        const u32 column = piece / ROWS, columns = PITCH / PIECE;
        const u64 p = sweep.base + u64{column / columns * ROWS + piece % ROWS} * PITCH + column % columns * PIECE + at % PIECE;
#ifdef WAY_st
        STORE("st.global", "l", p, v[i]);
#else
        LOAD("ld.global.cg", "l", v[i], p);
#endif
      }
      sweep.next();
#ifndef WAY_st
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // otherwise ptxas would drop the loads
#endif
    }
#ifdef WAY_st
    __threadfence();
#endif
    window.close();
  }
  window.report(args);
}
