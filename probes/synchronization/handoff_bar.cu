// Two warps of a block, the second APART warps after the first, hand a turn back and forth by two named barriers: each
// arrives at the other's and waits at its own.
#include "probe.cuh"
#include "synchronization/passes.cuh"

PROBE {
  Window window;
  if (warp() != 0 && warp() != APART) return;
  const u32 side = warp() == APART;
  const u32 mine = 1 + side + (input(args, 0) & args.zero), theirs = 2 - side + (input(args, 1) & args.zero);
  LANE_PASSES {
    window.ready(mine);
    window.ready(theirs);
    if (side == 1) asm volatile("bar.sync %0, 64;" ::"r"(mine) : "memory");
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      asm volatile("bar.arrive %0, 64;" ::"r"(theirs));
      asm volatile("bar.sync %0, 64;" ::"r"(mine));
    }
    window.close();
    asm volatile("bar.arrive %0, 64;" ::"r"(theirs) : "memory");
    if (side == 0) asm volatile("bar.sync %0, 64;" ::"r"(mine) : "memory");
  }
  if (side == 0) window.report(args);
}
