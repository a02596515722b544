// N stmatrix by every warp, each warp to its own rows, which are STRIDE bytes apart.
#include "probe.cuh"
#include "matrix/stmatrix.cuh"

PROBE {
  extern __shared__ __align__(128) u16 all_rows[];
  Window window;
  const u32 address = shared_address(all_rows) + (warp() * 32 + lane()) * STRIDE;
  u32 v[NUM];
  UNROLL for (int i = 0; i < NUM; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(v);
    window.ready(address);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) STMATRIX(address, v);
    window.close();
  }
  window.report(args);
}
