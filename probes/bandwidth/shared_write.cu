// N trips of DEPTH stores of BYTES per lane to shared memory, with adjacent words for adjacent lanes. All warps store
// to the same words, or each (TILE own) to its own. A load of the last stored words ends the window.
#include "probe.cuh"
#include "bandwidth/words.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES;
#ifdef TILE_own
  __shared__ __align__(16) char tile[WARPS * DEPTH * row];
  const u32 mine = warp() * DEPTH * row + lane() * BYTES;
#else
  __shared__ __align__(16) char tile[DEPTH * row];
  const u32 mine = lane() * BYTES;
#endif
  Window window;
  const u32 p = shared_address(tile) + mine;
  u32 v[WORDS], last;
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(p);
    window.ready(v);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.volatile.shared", "r", p + i * row, v);
    asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(last) : "r"(p + (DEPTH - 1) * row));
    window.wait(last);
    window.close();
  }
  window.report(args);
}
