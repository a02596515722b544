// N trips of DEPTH loads of BYTES per lane from shared memory, with adjacent words for adjacent lanes. Volatile,
// because ptxas would drop a load that the next trip repeats; the machine instruction is the same.
#include "probe.cuh"
#include "bandwidth/words.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES;
  __shared__ __align__(16) char tile[DEPTH * row];
  Window window;
  const u32 p = shared_address(tile) + lane() * BYTES;
  u32 v[DEPTH][WORDS];
  PASSES {
    window.ready(p);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.volatile.shared", "r", v[i], p + i * row);
    UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);
    window.close();
  }
  window.report(args);
}
