// N times a fence of the sweep's ORDER and SCOPE: with nothing to wait for, or each behind a store to a line of its own
// that L2 holds.
#include "probe.cuh"

#undef FENCE
#define FENCE() asm volatile("fence." ORDER "." SCOPE ";" ::: "memory")

PROBE {
  Window window;
  const u32 v = input(args, 0);
  const u64 p = reinterpret_cast<u64>(args.data) + 65536 + (input(args, 1) & args.zero);
  PASSES {
    window.ready(v);
    window.ready(p);
    FENCE();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#ifdef AFTER_store
      asm volatile("st.global.u32 [%0], %1;" ::"l"(p + i * 128), "r"(v) : "memory");
#endif
      FENCE();
    }
    window.close();
  }
  window.report(args);
}
