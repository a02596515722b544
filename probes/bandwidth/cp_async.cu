// N trips of DEPTH cp.async of BYTES per lane; each trip is a group. GROUPS groups, a power of two, are in flight, each
// with its own destination, and the last ones are waited for. Nothing reads the data. When all groups shared a
// destination, an H200 seemed to copy 53 bytes per clock and SM from DRAM, three times what its bus carries.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = WARPS * 32 * BYTES;
  extern __shared__ __align__(128) char tile[];
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
      UNROLL for (int i = 0; i < DEPTH; ++i) CP_ASYNC(to + (trip % GROUPS * DEPTH + i) * row, p + i * row);
      CP_COMMIT();
      sweep.next();
      CP_WAIT(GROUPS - 1);
    }
    CP_WAIT(0);
    window.close();
  }
  window.report(args);
}
