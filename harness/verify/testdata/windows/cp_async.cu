// N copies to shared memory in one group, and the wait for it.
#include "probe.cuh"

PROBE {
  __shared__ __align__(128) char tile[16 * 32 * N];
  Window window;
  const u32 to = shared_address(tile) + lane() * 16;
  const u64 from = reinterpret_cast<u64>(args.data) + lane() * 16;
  PASSES {
    window.ready(to);
    window.ready(from);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * 512), "l"(from + i * 512) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
#ifdef GROUPS_IN_FLIGHT
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#else
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
    window.close();
  }
  window.report(args);
}
