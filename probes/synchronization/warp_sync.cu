// bar.warp.sync of all lanes.
#include "probe.cuh"

PROBE {
  Window window;
  PASSES {
    window.ready(args.zero);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("bar.warp.sync 0xffffffff;");
    window.close();
  }
  window.report(args);
}
