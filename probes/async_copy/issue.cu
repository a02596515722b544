// N cp.async of one warp from one source to N destinations, without a wait: the cost of issuing each.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"

PROBE {
  __shared__ __align__(128) char tile[N * 32 * BYTES];
  Window window;
  const u32 to = shared_address(tile) + lane() * BYTES;
  const char* from = args.data + lane() * BYTES;
  PASSES {
    window.ready(to);
    window.ready(reinterpret_cast<u64>(from));
    window.open();
    UNROLL for (int i = 0; i < N; ++i) CP_ASYNC(to + i * 32 * BYTES, from);
    window.close();
    CP_COMMIT();
    CP_WAIT(0);
  }
  window.report(args);
}
