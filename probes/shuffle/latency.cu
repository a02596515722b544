// shfl.sync, each result the source of the next. The lane operand is a register: with a constant one, repeated `idx`
// shuffles are idempotent and ptxas keeps only the first.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 b = (LANE) + args.zero;
  PASSES {
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("shfl.sync." MODE ".b32 %0, %0, %1, " CLAMP ", 0xffffffff;" : "+r"(v) : "r"(b));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
