// Two warps of a block, the second APART warps after the first, hand a turn back and forth BY a word in shared memory
// or by an mbarrier.
#include "probe.cuh"

#undef ADDRESS
#undef ARRIVE
#undef TEST_WAIT
#undef TRY_WAIT
#undef SIGNAL
#undef WAIT
#define ADDRESS "r"
#define TEST_WAIT "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;"
#define ARRIVE "mbarrier.arrive.shared::cta.b64 _, [%1];"
#ifdef BY_mbarrier_hint
#define TRY_WAIT "mbarrier.try_wait.parity.shared::cta.b64 p, [%2], %3, 1000000;"
#elif defined(BY_mbarrier_try)
#define TRY_WAIT "mbarrier.try_wait.parity.shared::cta.b64 p, [%2], %3;"
#endif
#if defined(BY_flag_relaxed)
#define SIGNAL(phase) asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(theirs), "r"(phase))
#define WAIT(phase) SPIN("ld.relaxed.cta.shared.u32 v, [%0];", phase)
#elif defined(BY_flag_release)
#define SIGNAL(phase) asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(theirs), "r"(phase))
#define WAIT(phase) SPIN("ld.acquire.cta.shared.u32 v, [%0];", phase)
#else
#define SIGNAL(phase) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(theirs))
#define WAIT(phase) POLL("mbarrier.test_wait.parity.shared::cta.b64 p, [%0], %1;", phase)
#endif
#include "synchronization/handoff.cuh"

PROBE {
  __shared__ __align__(128) u64 places[2][16];  // in separate lines
  Window window;
  const u32 side = warp() == APART;
  const u32 mine = shared_address(places[side]) + (input(args, 0) & args.zero);
  const u32 theirs = shared_address(places[1 - side]) + (input(args, 1) & args.zero);
  if (threadIdx.x < 2) {
#if defined(BY_flag_relaxed) || defined(BY_flag_release)
    places[threadIdx.x][0] = 0;
#else
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(places[threadIdx.x])) : "memory");
#endif
  }
  __syncthreads();
  if ((warp() == 0 || warp() == APART) && lane() == 0) {
    PASSES {
      window.ready(mine);
      window.ready(theirs);
      HAND_OVER(side);
    }
    if (side == 0) window.report(args);
  }
}
