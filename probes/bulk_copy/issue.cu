// N copies of 16 bytes by one thread, without a wait: the cost of issuing each. DIRECTION is into or out of shared
// memory.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  __shared__ __align__(128) char buffer[16];
  __shared__ u64 word;
  Window window;
  const u32 here = shared_address(buffer), barrier = shared_address(&word), bytes = 16 + args.zero;
  const u64 there = reinterpret_cast<u64>(args.data);
  u32 late = none_late(args);
  set_up(barrier, 1);
  if (!elected()) return;
  PASSES {
#ifdef DIRECTION_in
    await_once(late, barrier, ~pass & 1);  // for the copies of the previous pass
    expect(barrier, N * 16);
#endif
    window.ready(bytes);
    window.ready(here);
    window.ready(there);
    window.ready(late);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#ifdef DIRECTION_in
      bulk_load(here, there, bytes, barrier);
#else
      bulk_store(there, here, bytes);
#endif
    }
    window.close();
#ifndef DIRECTION_in
    bulk_commit();
    BULK_WAIT(0);
#endif
  }
#ifdef DIRECTION_in
  await_once(late, barrier, ~args.passes & 1);
#endif
  count_fact(args, 0, late);
  window.report(args);
}
