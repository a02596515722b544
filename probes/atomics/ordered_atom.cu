// N additions to one word with the sweep's ORDER and SCOPE. The value of each is the result of the previous one; every
// launch and block has another word. The blocks run one after another, because a release waits like a fence.
#include "probe.cuh"
#include "atomics/elsewhere.cuh"
#include "memory/turn.cuh"

#undef ADD
#define ADD() asm volatile("atom." ORDER "." SCOPE ".global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p))

PROBE {
  Window window;
  const u64 p = elsewhere(args, 1);
  u32 v = input(args, 0);
  await_turn(args, blockIdx.x, args.passes * N * 2);
  if (lane() != 0) return;
  PASSES {
    ADD();  // untimed: a value carried from pass to pass would be moved between registers inside the window
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) ADD();
    window.wait(v);
    window.close();
  }
  window.report(args);
}
