// N cp.async.bulk.prefetch of BYTES each by one thread, without a wait.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  Window window;
  if (!elected()) return;
  u64 p = reinterpret_cast<u64>(args.data) + args.zero;
  BULK_PASSES {
    p += N * BYTES;
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p + i * BYTES), "n"(BYTES) : "memory");
    window.close();
  }
  window.report(args);
}
