// N trips of STAGES cp.async.bulk of BYTES from global to shared memory by one thread of each block, a buffer and an
// mbarrier for each; a buffer is filled again as soon as it is full. Nothing reads what arrives. A wait gives up after
// 10 ms and is counted: a loop around it would be a way out of the window.
#include "probe.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

// 0 when the phase of this parity is over; the phase before the first counts as over.
__device__ __forceinline__ u32 await(u32 barrier, u32 parity) {
  u32 late;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 10000000; selp.u32 %0, 0, 1, p; }"
               : "=r"(late) : "r"(barrier), "r"(parity) : "memory");
  return late;
}

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
  u32 parity = 1, late = 0;
  PASSES {
    window.ready(sweep.place());
    window.ready(to);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        late += await(barrier + s * 8, parity);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier + s * 8), "n"(BYTES));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(to + s * BYTES), "l"(p + s * BYTES), "n"(BYTES), "r"(barrier + s * 8));
      }
      parity ^= 1;
      sweep.next();
    }
    UNROLL for (u32 s = 0; s < STAGES; ++s) late += await(barrier + s * 8, parity);
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}
