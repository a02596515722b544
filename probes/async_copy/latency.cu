// N times: one warp-wide cp.async, committed and waited for: the time from issue until the bytes are visible.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"

PROBE {
  __shared__ __align__(128) char tile[32 * BYTES];
  Window window;
  constexpr u32 stride = 1024;  // so far apart that no sector or prefetch of one line reaches another
  const u32 to = shared_address(tile) + lane() * BYTES;
  PASSES {
#ifdef SOURCE_l1
    const char* from = args.data + lane() * BYTES;
#else
    const char* from = pass_source(args, pass, N * stride) + lane() * BYTES;
#endif
#ifdef SOURCE_l2
    window.ready(touch_l2(from - lane() * BYTES, N * stride));
#endif
    window.ready(to);
    window.ready(reinterpret_cast<u64>(from));
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      CP_ASYNC(to, from + i * stride);
      CP_COMMIT();
      CP_WAIT(0);
    }
    window.close();
  }
  window.report(args);
}
