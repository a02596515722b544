// N fences of the sweep's ORDER and SCOPE, either with nothing to wait for or each after a store to its own line in L2.
// Every launch and block has other lines. The blocks run one after another, because a fence may wait for accesses of
// others.
#include "probe.cuh"
#include "atomics/elsewhere.cuh"
#include "memory/turn.cuh"

#undef FENCE
#define FENCE() asm volatile("fence." ORDER "." SCOPE ";" ::: "memory")

PROBE {
  Window window;
  const u32 v = input(args, 0);
  const u64 p = elsewhere(args, N);
  await_turn(args, blockIdx.x, args.passes * N * 2);
  PASSES {
    window.ready(v);
    window.ready(p);
    FENCE();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#ifdef AFTER_store
      asm volatile("st.global.u32 [%0], %1;" ::"l"(p + i * line_step), "r"(v) : "memory");
#endif
      FENCE();
    }
    window.close();
  }
  window.report(args);
}
