// ldmatrix, each address being the previous result; ILP such chains in each of WARPS warps.
#include "probe.cuh"
#include "matrix/ldmatrix.cuh"

PROBE {
  __shared__ __align__(128) u16 rows[32 * STRIDE / 2];
  Window window;
  u32 d[ILP][NUM];
  const u32 first = link_matrix(rows);
  UNROLL for (int j = 0; j < ILP; ++j) d[j][0] = first + args.zero * j;
  PASSES {
    UNROLL for (int j = 0; j < ILP; ++j) window.ready(d[j][0]);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      UNROLL for (int j = 0; j < ILP; ++j) LDMATRIX(d[j], d[j][0]);
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(d[j][0]);
    window.close();
  }
  window.report(args);
}
