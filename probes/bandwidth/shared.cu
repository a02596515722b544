// Trips of 16 accesses of BYTES to shared memory, every lane its own words and the warp without bank conflicts.
#include "probe.cuh"
#include "bandwidth/access.cuh"

PROBE {
  constexpr u32 unroll = 16, bytes_a_warp = 32 * BYTES;
  extern __shared__ __align__(16) char tile[];
  Window window;
  const u32 p = shared_address(tile) + (warp() * 4 * 32 + lane()) * BYTES;
  ACCESS_WORDS(v, input(args, 0));
  PASSES {
    window.ready(p);
    window.ready(v);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (u32 i = 0; i < unroll; ++i) SHARED_ACCESS(v, i, p + i % 4 * bytes_a_warp);
    window.wait(v);
    window.close();
  }
  window.report(args);
}
