// The first block of a cluster and the one of rank DISTANCE hand a turn back and forth BY a word in the other's shared
// memory, by an mbarrier there, or by st.async, whose bytes complete the mbarrier's phase.
#include "probe.cuh"
#include "clusters/cluster.cuh"

#undef ADDRESS
#undef TRY_WAIT
#undef SIGNAL
#undef WAIT
#define ADDRESS "r"
#if defined(BY_flag_relaxed)
#define SIGNAL(phase) asm volatile("st.relaxed.cluster.u32 [%0], %1;" ::"l"(theirs_generic), "r"(phase))
#define WAIT(phase) SPIN("ld.relaxed.cluster.shared::cta.u32 v, [%0];", phase)
#elif defined(BY_flag_release)
#define SIGNAL(phase) asm volatile("st.release.cluster.u32 [%0], %1;" ::"l"(theirs_generic), "r"(phase))
#define WAIT(phase) SPIN("ld.acquire.cluster.shared::cta.u32 v, [%0];", phase)
#elif defined(BY_mbarrier_relaxed)
#define SIGNAL(phase) asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs))
#define WAIT(phase) POLL("mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 p, [%0], %1;", phase)
#elif defined(BY_st_async)
#define SIGNAL(phase)                                                                                               \
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(word), "r"(phase), \
               "r"(theirs))
// The side that waits announces the bytes of the next phase before it passes the turn on. This is one statement,
// because an arrival by a side that does not wait would be one too many, which faults. The wait acquires at block
// scope, as is usual. At cluster scope CCTL.IVALL follows each wait, and a round trip took 316 or 467 cycles, depending
// on the SMs of the two blocks (H100, H200).
#define WAIT(phase)                                                                                 \
  do {                                                                                              \
    POLL("mbarrier.test_wait.parity.shared::cta.b64 p, [%0], %1;", phase);                          \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mine), "r"(bytes)); \
  } while (false)
#elif defined(BY_mbarrier_try)
// A try_wait gives up after some 7,900 cycles, and the first turns may take that long. Its answer goes through a
// register and a compare, because ptxas puts the second try of a plain loop after the end of the kernel.
#define SIGNAL(phase) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs))
#define WAIT(phase)                                                                                 \
  asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 over;\n\tspin:\n\t"                                 \
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n\t"           \
               "selp.u32 over, 1, 0, p;\n\tsetp.lt.u32 p, over, %2;\n\t@p bra.uni spin;\n\t}" ::"r"(mine), \
               "r"(phase), "r"(one))
#else
#define SIGNAL(phase) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs))
#define WAIT(phase) POLL("mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;", phase)
#endif
#include "synchronization/handoff.cuh"

CLUSTER_PROBE {
  __shared__ __align__(128) u64 place[16];
  Window window;
  const u32 rank = cluster_rank(), side = rank == DISTANCE;
  const u32 mine = shared_address(place) + (input(args, 0) & args.zero);
  const u32 theirs = map_rank(mine, side == 0 ? DISTANCE : 0);
  [[maybe_unused]] const u32 word = theirs + 8 + (input(args, 1) & args.zero);
  [[maybe_unused]] const u32 bytes = 4 + (input(args, 2) & args.zero);
  [[maybe_unused]] const u32 one = 1 + (input(args, 3) & args.zero);
  [[maybe_unused]] const u64 theirs_generic = map_rank(place, side == 0 ? DISTANCE : 0);
  if (threadIdx.x == 0) {
#if defined(BY_flag_relaxed) || defined(BY_flag_release)
    place[0] = 0;
#else
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mine) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#ifdef BY_st_async
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mine), "r"(bytes) : "memory");
#endif
#endif
  }
  cluster_sync();
  if ((rank == 0 || rank == DISTANCE) && threadIdx.x == 0) {
    PASSES {
      window.ready(mine);
      window.ready(theirs);
      window.ready(word);
      window.ready(bytes);
      window.ready(one);
      window.ready(theirs_generic);
      HAND_OVER(side);
    }
    if (side == 0) window.report(args);
  }
  __syncwarp();
  cluster_sync();
}
