// N stores of the sweep's ORDER and SCOPE, each to a line of its own that L2 holds.
#include "probe.cuh"

PROBE {
  Window window;
  const u32 v = input(args, 0);
  const u64 p = reinterpret_cast<u64>(args.data) + 65536 + (input(args, 1) & args.zero);
  PASSES {
    window.ready(v);
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("st." ORDER "." SCOPE ".global.u32 [%0], %1;" ::"l"(p + i * 128), "r"(v));
    window.close();
  }
  window.report(args);
}
