// N times: announce args.at bytes to an mbarrier, copy them from global to shared memory, wait for the barrier's phase.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  extern __shared__ __align__(128) char buffer[];
  __shared__ u64 word;
  Window window;
  const u32 to = shared_address(buffer), barrier = shared_address(&word), bytes = static_cast<u32>(args.at);
  const u64 policy = bulk_policy();
  u32 late = none_late(args);
  set_up(barrier, 1);
  if (!elected()) return;
#ifdef SOURCE_dram
  constexpr u32 step = 128 * 1024;  // every copy has lines that nothing has touched since L2 was swept
#else
  constexpr u32 step = 0;
#endif
  PASSES {
    const u64 from = reinterpret_cast<u64>(args.data) + u64{pass} * N * step;
    window.ready(from);
    window.ready(to);
    window.ready(policy);
    window.ready(late);
    window.ready(bytes);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      expect(barrier, bytes);
      bulk_load(to, from + i * step, bytes, barrier, policy);
      await(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}
