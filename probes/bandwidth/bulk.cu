// N trips of STAGES cp.async.bulk of BYTES from global to shared memory by one thread of each block. Each stage has a
// buffer and an mbarrier; a buffer is refilled as soon as it is full. Nothing reads the data.
#include "probe.cuh"
#include "mbarrier.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 barriers[STAGES];
  Window window;
  if (lane() != 0) return;
  Sweep sweep(args, 0, STAGES * BYTES);
  const u32 to = shared_address(buffers), barrier = shared_address(barriers);
  for (u32 s = 0; s < STAGES; ++s)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + s * 8) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  u32 parity = 1, late = 0;  // the phase before the first counts as complete
  PASSES {
    window.ready(sweep.place());
    window.ready(to);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        await_over(late, barrier + s * 8, parity);
        expect(barrier + s * 8, BYTES);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(to + s * BYTES), "l"(p + s * BYTES), "n"(BYTES), "r"(barrier + s * 8));
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
