// N trips of STEPS times DEPTH loads of BYTES per lane from shared memory, with adjacent words for adjacent lanes. Each
// trip begins with a barrier, which keeps the warps in step. Volatile, because ptxas would drop a load that the next
// repeats; the machine instruction is the same.
#include "bandwidth/words.cuh"
#include "issue/trips.cuh"
#include "probe.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES;
  __shared__ __align__(16) char tile[DEPTH * row];
  Window window;
  const u32 p = shared_address(tile) + lane() * BYTES;
  u32 v[DEPTH][WORDS];
  PASSES {
    float left = trips();
    window.ready(p);
    window.ready(left);
    __syncthreads();
    window.open();
    bool more;
    _Pragma("unroll 1") do {
      __syncthreads();
      more = again(left);
      _Pragma("unroll 1") for (u32 step = 0; step < STEPS; ++step)
        UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.volatile.shared", "r", v[i], p + i * row);
    } while (more);
    UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);
    window.close();
  }
  window.report(args);
}
