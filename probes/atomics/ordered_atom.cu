// N additions to one word by the sweep's ORDER and SCOPE, each with the result of the one before as its value.
#include "probe.cuh"

#undef ADD
#define ADD() asm volatile("atom." ORDER "." SCOPE ".global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p))

PROBE {
  Window window;
  const u64 p = reinterpret_cast<u64>(args.data) + 65536 + (input(args, 1) & args.zero);
  u32 v = input(args, 0);
  if (lane() != 0) return;
  PASSES {
    ADD();  // untimed: what is carried from pass to pass would be moved between registers inside the window
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) ADD();
    window.wait(v);
    window.close();
  }
  window.report(args);
}
