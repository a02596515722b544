// GROUPS groups of one warp-wide cp.async each, all in flight together, then one wait for all of them.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"

PROBE {
  __shared__ __align__(128) char tile[GROUPS * 32 * BYTES];
  Window window;
  constexpr u32 stride = 1024;
  const u32 to = shared_address(tile) + lane() * BYTES;
  PASSES {
    const char* from = pass_source(args, pass, GROUPS * stride) + lane() * BYTES;
#ifdef SOURCE_l2
    window.ready(touch_l2(from - lane() * BYTES, GROUPS * stride));
#endif
    window.ready(to);
    window.ready(reinterpret_cast<u64>(from));
    window.open();
    UNROLL for (int i = 0; i < GROUPS; ++i) {
      CP_ASYNC(to + i * 32 * BYTES, from + i * stride);
      CP_COMMIT();
    }
    CP_WAIT(0);
    window.close();
  }
  window.report(args);
}
