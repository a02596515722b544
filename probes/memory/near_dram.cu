// One load by a warp of LINES lines that are APART bytes from each other and that no cache holds: L2 was swept before
// the launch, no line is read twice, and every launch and pass begins elsewhere. Address translation is warm.
#include "probe.cuh"
#include "memory/hop.cuh"

PROBE {
  Window window;
  const u64 first = start(args, args.data_bytes / 2 / STRIDE) + lane() % LINES * APART + (warm_translation(args) & args.zero);
  PASSES {
    u32 v;
    u64 p;
    asm volatile("add.u64 %0, %1, %2;" : "=l"(p) : "l"(first), "l"(u64{pass} << 20));
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(v) : "l"(p));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
