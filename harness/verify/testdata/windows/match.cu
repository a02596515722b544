// A chain of match.all, which writes a predicate as well as the mask.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %0, 0xffffffff; @!p xor.b32 %0, %0, 5; }" : "+r"(v));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
