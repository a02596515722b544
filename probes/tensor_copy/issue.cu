// N copies of a box of 16 bytes by one thread, without a wait: the cost of issuing each. DIRECTION is into or out of
// shared memory, or a prefetch.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  __shared__ __align__(1024) char buffer[16];
  __shared__ u64 word;
  Window window;
  const u32 here = shared_address(buffer), barrier = shared_address(&word);
  const u64 map = tensor_map(args);
  u32 late = none_late(args);
  set_up(barrier, 1);
  if (!elected()) return;
  BULK_PASSES {
    const u32 zero = args.zero;
#ifdef DIRECTION_in
    await_once(late, barrier, ~pass & 1);  // for the copies of the previous pass
    expect(barrier, N * 16);
#endif
    window.ready(here);
    window.ready(zero);
    window.ready(late);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#if defined(DIRECTION_in)
      tensor_load(here, map, zero, zero, barrier);
#elif defined(DIRECTION_out)
      tensor_store(map, zero, zero, here);
#else
      tensor_prefetch(map, zero, zero);
#endif
    }
    window.close();
#ifdef DIRECTION_out
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
