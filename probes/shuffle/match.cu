// match.sync; each mask is the value of the next. Every lane starts with its own value.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("match." KIND ".sync.b32 %0, %0, 0xffffffff;" : "+r"(v));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
