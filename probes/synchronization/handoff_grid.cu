// Two blocks hand a turn back and forth BY words in global memory: stores or exchanges of ORDER in SCOPE, and matching
// loads. Every launch uses other words. Each block restores its word at the end, because a later launch may use it.
#include "probe.cuh"

#undef ADDRESS
#undef SIGNAL
#undef WAIT
#define ADDRESS "l"
#ifdef ORDER_relaxed
#define SIGNAL(phase) asm volatile("st.relaxed." SCOPE ".global.u32 [%0], %1;" ::"l"(theirs), "r"(phase))
#define WAIT(phase) SPIN("ld.relaxed." SCOPE ".global.u32 v, [%0];", phase)
#else
#define SIGNAL(phase) asm volatile("st.release." SCOPE ".global.u32 [%0], %1;" ::"l"(theirs), "r"(phase))
#define WAIT(phase) SPIN("ld.acquire." SCOPE ".global.u32 v, [%0];", phase)
#endif
#include "synchronization/handoff.cuh"

PROBE {
  Window window;
  const u32 side = blockIdx.x;
  const u64 pairs = args.data_bytes / 8192, pair = launch_hash(args) % (pairs - 8) + 8;  // after the words of input()
  u32* const place = reinterpret_cast<u32*>(args.data + pair * 8192 + side * 4224);
  const u64 mine = reinterpret_cast<u64>(place) + (input(args, 0) & args.zero);
  const u64 theirs = reinterpret_cast<u64>(args.data + pair * 8192 + (1 - side) * 4224) + (input(args, 1) & args.zero);
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x != 0) return;
  fact(args, side, sm);
  __threadfence();
  PASSES {
    window.ready(mine);
    window.ready(theirs);
    HAND_OVER(side);
  }
  if (side == 0) {
    window.report(args);
    fact(args, 2, *reinterpret_cast<volatile u32*>(args.facts + 1) == sm);
  }
  *reinterpret_cast<volatile u32*>(place) = 0;
}
