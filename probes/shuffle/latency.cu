// shfl.sync; each result is the source of the next.
#include "probe.cuh"
#include "shuffle/shfl.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 b = SHFL_LANE;
  PASSES {
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) SHFL(v, b);
    window.wait(v);
    window.close();
  }
  window.report(args);
}
