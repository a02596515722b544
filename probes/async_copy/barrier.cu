// N times: one warp-wide cp.async, whose lanes arrive at an mbarrier when it is done (cp.async.mbarrier.arrive.noinc),
// and a wait for the phase that these arrivals complete. With BYTES 0, only the arrivals.
#include "probe.cuh"
#include "mbarrier.cuh"
#include "async_copy/cp_async.cuh"

PROBE {
  __shared__ __align__(128) char tile[32 * 16];
  __shared__ u64 word;
  Window window;
  constexpr u32 stride = 1024;
  const u32 to = shared_address(tile) + lane() * BYTES, barrier = shared_address(&word);
  u32 late = lane() & args.zero;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(barrier) : "memory");
  __syncthreads();
  PASSES {
    const char* from = pass_source(args, pass, N * stride) + lane() * BYTES;
    window.ready(touch_l2(from - lane() * BYTES, N * stride));
    window.ready(to);
    window.ready(barrier);
    window.ready(late);
    window.ready(reinterpret_cast<u64>(from));
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#if BYTES > 0
      CP_ASYNC(to, from + i * stride);
#endif
      asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
      await_once(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}
