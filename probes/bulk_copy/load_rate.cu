// N trips of STAGES copies of BYTES from global to shared memory by one thread of each block. Each stage has a buffer
// and an mbarrier; a buffer is refilled as soon as it is full. Nothing reads the data.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 words[STAGES];
  Window window;
  Sweep sweep(args, 0, STAGES * BYTES);
  const u32 to = shared_address(buffers), barrier = shared_address(words);
  set_up(barrier, STAGES);
  if (!elected()) return;
  u32 parity = 1, late = none_late(args);
  BULK_PASSES {
    window.ready(sweep.place());
    window.ready(to);
    window.ready(late);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 from = sweep.place();
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        await_over(late, barrier + s * 8, parity);
        expect(barrier + s * 8, BYTES);
        bulk_load(to + s * BYTES, from + s * BYTES, BYTES, barrier + s * 8);
      }
      parity ^= 1;
      sweep.next();
    }
    UNROLL for (u32 s = 0; s < STAGES; ++s) await_over(late, barrier + s * 8, parity);
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}
