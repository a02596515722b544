// N trips of DEPTH cp.async of BYTES a lane, each trip a group, GROUPS groups in flight; the last ones are waited for.
// Nothing reads what arrives, so all groups go to the same place.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = WARPS * 32 * BYTES;
  __shared__ __align__(128) char tile[DEPTH * row];
  Window window;
  Sweep sweep(args, threadIdx.x * BYTES, DEPTH * row);
  const u32 to = shared_address(tile) + threadIdx.x * BYTES;
  PASSES {
    window.ready(sweep.place());
    window.ready(to);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (int i = 0; i < DEPTH; ++i) CP_ASYNC(to + i * row, p + i * row);
      CP_COMMIT();
      sweep.next();
      CP_WAIT(GROUPS - 1);
    }
    CP_WAIT(0);
    window.close();
  }
  window.report(args);
}
