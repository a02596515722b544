// OP on an mbarrier of the block by one lane. The barrier expects more arrivals than there are, so its first phase does
// not complete: a wait for the previous phase succeeds at once, a wait for this phase fails.
#include "probe.cuh"

#undef STEP
#undef WAITED
#undef CHAINED
#define CHAINED(wait)                                                                                       \
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, 0;\n\t" wait "\n\tselp.u32 %0, 1, 0, p;\n\t}" \
               : "+r"(v) : "r"(p), "r"(parity))
#if defined(OP_init)
#define STEP() asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)))
#elif defined(OP_arrive)
#define STEP() asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(p))
#elif defined(OP_arrive_count)
#define STEP() asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(p), "r"(v))
#elif defined(OP_arrive_state)
// The returned state shows when the arrival is done; the next address depends on it.
#define STEP()                                                                              \
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(p | (v & args.zero))); \
  v = static_cast<u32>(state)
#elif defined(OP_arrive_expect_tx)
#define STEP() asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(p), "r"(v))
#elif defined(OP_complete_tx)
#define STEP() asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(p), "r"(v))
#elif defined(OP_test_wait)
#define STEP() CHAINED("@p mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;")
#elif defined(OP_try_wait)
#define STEP() CHAINED("@p mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;")
#elif defined(OP_test_wait_vain)
#define STEP() CHAINED("@!p mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;")
#elif defined(OP_test_wait_cluster)
#define STEP() CHAINED("@p mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;")
#endif
#if !defined(OP_init) && !defined(OP_arrive) && !defined(OP_arrive_count) && !defined(OP_arrive_expect_tx) && \
    !defined(OP_complete_tx)
#define WAITED
#endif

PROBE {
  __shared__ __align__(8) u64 barrier;
  Window window;
  const u32 p = shared_address(&barrier) + (input(args, 0) & args.zero);
  u32 right = 1;
#ifdef OP_test_wait_vain
  [[maybe_unused]] const u32 parity = 0 + (input(args, 1) & args.zero), wanted = 0;
#else
  [[maybe_unused]] const u32 parity = 1 + (input(args, 1) & args.zero), wanted = 1;
#endif
  [[maybe_unused]] u64 state;
  if (lane() == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1048575;" ::"r"(p) : "memory");
  __syncthreads();
  if (lane() != 0) return;
  PASSES {
    u32 v = wanted + (input(args, 2) & args.zero);
    window.ready(p);
    window.ready(v);
    window.ready(parity);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) { STEP(); }
#ifdef WAITED
    window.wait(v);
#endif
    window.close();
    right &= v == wanted;
  }
  window.report(args);
  fact(args, 0, right);
}
