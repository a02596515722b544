// N trips of 8 ldmatrix from a tile whose rows are given by the config's `along:`. The tile holds zeros, which are added
// to the addresses; otherwise ptxas would load it once.
#define TRANS 0
#define STRIDE 16
#include "probe.cuh"
#include "geometry/matrix_rows.cuh"
#include "matrix/ldmatrix.cuh"

PROBE {
  __shared__ __align__(1024) u32 tile[4 * 1024];
  Window window;
  for (u32 i = threadIdx.x; i < sizeof tile / 4; i += blockDim.x) tile[i] = args.zero;
  u32 p[8], v[8][NUM];
  UNROLL for (int i = 0; i < 8; ++i) p[i] =
      shared_address(tile) + matrix_row(static_cast<u32>(args.at)) % sizeof tile + (input(args, i) & args.zero);
  PASSES {
    window.ready(p);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < 8; ++i) LDMATRIX(v[i], p[i]);
      UNROLL for (int i = 0; i < 8; ++i) p[i] += v[i][0];
    }
    window.wait(p);
    window.close();
  }
  window.report(args);
}
