// N trips of STAGES copies of BYTES from global to shared memory by one thread of each block. Each stage has a buffer
// and an mbarrier; a buffer is refilled as soon as it is full. Nothing reads the data. With SHARERS, every second copy is
// from a half of the data that so many blocks in a row go through in step, and the others from a half that every
// SHARERS-th block goes through in step, as the blocks of a matrix product need their rows and columns.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 words[STAGES];
  Window window;
#ifdef SHARERS
  constexpr u32 streams = 2;
  Sweep sweep(args, 0, STAGES / streams * BYTES, streams, blockIdx.x / SHARERS, (gridDim.x + SHARERS - 1) / SHARERS);
  Sweep other(args, 0, STAGES / streams * BYTES, streams, blockIdx.x % SHARERS, SHARERS);
  other.base += args.data_bytes / streams;
#else
  constexpr u32 streams = 1;
  Sweep sweep(args, 0, STAGES * BYTES), &other = sweep;
#endif
  const u32 to = shared_address(buffers), barrier = shared_address(words);
  set_up(barrier, STAGES);
  if (!elected()) return;
  u32 parity = 1, late = none_late(args);
  BULK_PASSES {
    window.ready(sweep.place());
    if constexpr (streams > 1) window.ready(other.place());
    window.ready(to);
    window.ready(late);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 from = sweep.place(), across = other.place();
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        await_over(late, barrier + s * 8, parity);
        expect(barrier + s * 8, BYTES);
        bulk_load(to + s * BYTES, (s % streams == 0 ? from : across) + s / streams * BYTES, BYTES, barrier + s * 8);
      }
      parity ^= 1;
      sweep.next();
      if constexpr (streams > 1) other.next();
    }
    UNROLL for (u32 s = 0; s < STAGES; ++s) await_over(late, barrier + s * 8, parity);
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}
