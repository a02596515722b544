// stmatrix, then ldmatrix of what it stored; the result is stored by the next stmatrix.
#include "probe.cuh"
#include "matrix/ldmatrix.cuh"
#include "matrix/stmatrix.cuh"

PROBE {
  __shared__ __align__(128) u16 rows[32 * STRIDE / 2];
  Window window;
  const u32 address = shared_address(rows) + lane() * STRIDE;
  u32 v[NUM];
  UNROLL for (int i = 0; i < NUM; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(v);
    window.ready(address);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      STMATRIX(address, v);
      LDMATRIX(v, address);
    }
    window.wait(v);
    window.close();
  }
  window.report(args);
}
