// Nobody uses the result, and the assembly is not volatile.
#include "probe.cuh"

PROBE {
  Window window;
  const u32 first = input(args, 0);
  const u32 b = 1 + args.zero;
  PASSES {
    window.ready(first);
    window.ready(b);
    u32 v = first;
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm("shfl.sync.bfly.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(v) : "r"(b));
    window.close();
  }
  window.report(args);
}
