// N times commit_group and wait_group 0 with no copy outstanding.
#include "probe.cuh"

PROBE {
  Window window;
  PASSES {
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    window.close();
  }
  window.report(args);
}
