// N times the part of a bulk copy's latency that is not the copy: an arrival that announces no bytes, and the wait for
// the phase that it completes, which cannot give up.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  __shared__ u64 word;
  Window window;
  const u32 barrier = shared_address(&word), bytes = args.zero;
  u32 late = none_late(args);
  set_up(barrier, 1);
  if (!elected()) return;
  PASSES {
    window.ready(late);
    window.ready(bytes);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      expect(barrier, bytes);
      await_once(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}
