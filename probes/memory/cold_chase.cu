// N dependent loads through stored addresses that no cache has: L2 was swept before the launch, no slot is read twice,
// and every launch begins at another slot of the chain.
#include "probe.cuh"
#include "memory/hop.cuh"

PROBE {
  Window window;
  u64 p = start(args, args.data_bytes / STRIDE);
  PASSES {
    HOP(p);  // untimed: the translation of the first page
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) HOP(p);
    window.wait(p);
    window.close();
  }
  window.report(args);
}
