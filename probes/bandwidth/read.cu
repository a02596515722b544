// N trips of DEPTH loads of BYTES per lane from global memory by PATH. Trips wrap around in the data, also from pass to
// pass. With SHARERS, every second load is from a half of the data that so many blocks in a row go through in step, and
// the others from a half that every SHARERS-th block goes through in step, as the blocks of a matrix product need their
// rows and columns.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  constexpr u32 row = 32 * BYTES;  // a warp's loads are adjacent, so that no distance depends on the number of warps
#ifdef SHARERS
  constexpr u32 streams = 2, of_warp = DEPTH / streams * row;
  const u32 mine = warp() * of_warp + lane() * BYTES, trip_bytes = (blockDim.x >> 5) * of_warp;
  Sweep sweep(args, mine, trip_bytes, streams, blockIdx.x / SHARERS, (gridDim.x + SHARERS - 1) / SHARERS);
  Sweep other(args, mine, trip_bytes, streams, blockIdx.x % SHARERS, SHARERS);
  other.base += args.data_bytes / streams;
#else
  constexpr u32 streams = 1;
  Sweep sweep(args, warp() * DEPTH * row + lane() * BYTES, (blockDim.x >> 5) * DEPTH * row), &other = sweep;
#endif
  u32 v[DEPTH][WORDS];
#ifdef WORK
  u32 work[5];
  UNROLL for (int i = 0; i < 5; ++i) work[i] = input(args, i);
#endif
  PASSES {
    window.ready(sweep.place());
    if constexpr (streams > 1) window.ready(other.place());
#ifdef WORK
    window.ready(work);
#endif
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place(), across = other.place();
      UNROLL for (u32 i = 0; i < DEPTH; ++i)
        LOAD("ld.global." PATH, "l", v[i], (i % streams == 0 ? p : across) + i / streams * row);
      sweep.next();
      if constexpr (streams > 1) other.next();
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // otherwise ptxas would drop the loads
#ifdef WORK
      UNROLL for (int i = 0; i < DEPTH * WORK; ++i)
        asm volatile("prmt.b32 %0, %0, %1, %2;" : "+r"(work[i % 4]) : "r"(v[i % DEPTH][i / DEPTH % 4]), "r"(work[4]));
#endif
    }
#ifdef WORK
    window.wait(work);
#endif
    window.close();
  }
  window.report(args);
}
