// ILP independent shuffle chains in each of WARPS warps.
#include "probe.cuh"
#include "shuffle/shfl.cuh"

PROBE {
  Window window;
  u32 v[ILP];
  UNROLL for (int j = 0; j < ILP; ++j) v[j] = input(args, j);
  const u32 b = SHFL_LANE;
  PASSES {
    window.ready(v);
    window.ready(b);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      UNROLL for (int j = 0; j < ILP; ++j) SHFL(v[j], b);
    window.wait(v);
    window.close();
  }
  window.report(args);
}
