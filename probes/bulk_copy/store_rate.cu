// N trips of STAGES copies (with OP: reductions) of BYTES from shared to global memory by one thread of each block,
// each in its own group. STAGES of them are outstanding.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  Window window;
  for (u32 at = lane() * 4; at < STAGES * BYTES; at += 32 * 4) *reinterpret_cast<volatile u32*>(buffers + at) = 0;
  const u32 from = shared_address(buffers);
  set_up(from, 0);
  if (!elected()) return;
  Sweep sweep(args, 0, STAGES * BYTES);
  BULK_PASSES {
    window.ready(sweep.place());
    window.ready(from);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 to = sweep.place();
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        bulk_store(to + s * BYTES, from + s * BYTES, BYTES);
        bulk_commit();
        BULK_WAIT(STAGES - 1);
      }
      sweep.next();
    }
    BULK_WAIT(0);
    window.close();
  }
  window.report(args);
}
