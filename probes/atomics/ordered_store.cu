// N stores with the sweep's ORDER and SCOPE, each to its own line in L2; every launch and block has other lines. The
// blocks run one after another, because a release store waits like a fence.
#include "probe.cuh"
#include "atomics/elsewhere.cuh"
#include "memory/turn.cuh"

PROBE {
  Window window;
  const u32 v = input(args, 0);
  const u64 p = elsewhere(args, N);
  await_turn(args, blockIdx.x, args.passes * N * 2);
  PASSES {
    window.ready(v);
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("st." ORDER "." SCOPE ".global.u32 [%0], %1;" ::"l"(p + i * line_step), "r"(v));
    window.close();
  }
  window.report(args);
}
