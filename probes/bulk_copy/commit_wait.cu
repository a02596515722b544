// N times commit_group and the wait for all groups, with no copy outstanding.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  Window window;
  if (!elected()) return;
  PASSES {
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      bulk_commit();
#ifdef UNTIL_read
      BULK_WAIT_READ(0);
#else
      BULK_WAIT(0);
#endif
    }
    window.close();
  }
  window.report(args);
}
