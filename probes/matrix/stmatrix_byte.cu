// N stmatrix of bytes by every warp, each warp to its own rows.
#include "probe.cuh"
#include "matrix/ldmatrix_byte.cuh"

PROBE {
  __shared__ __align__(128) u32 rows[WARPS * 32 * 4];
  Window window;
  const u32 address = shared_address(rows) + threadIdx.x * 16;
  u32 v[NUM];
  UNROLL for (int i = 0; i < NUM; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(v);
    window.ready(address);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) STMATRIX_BYTE(address, v);
    window.close();
  }
  window.report(args);
}
