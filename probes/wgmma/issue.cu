// N times ILP wgmma by each of WARPS / 4 warpgroups, to as many accumulators, with one commit and one wait for all.
// Each uses its own step, by descriptors that are ready in uniform registers: ptxas executes wgmma with equal
// descriptors only once, whatever they add to. The same group of wgmma before the window makes ptxas keep the
// descriptors there.
#include "probe.cuh"
#include "wgmma/wgmma.cuh"

PROBE {
  extern __shared__ __align__(1024) char tiles[];
  Window window;
  WgOperands<N * ILP> from(args, tiles, WARPS / 4);
  u32 d[ILP][WG_D];
  PASSES {
    from.load(args);
    UNROLL for (int j = 0; j < ILP; ++j)
      UNROLL for (int i = 0; i < WG_D; ++i) d[j][i] = from.seed;
    wg_fence();
    UNROLL for (int i = 0; i < N * ILP; ++i) WGMMA(d[i % ILP], from.a[i], from.b[i], from.meta);
    wg_commit();
    wg_wait();
    UNROLL for (int j = 0; j < ILP; ++j) window.ready(d[j][0]);
    __syncthreads();
    window.open();
    wg_fence();
    UNROLL for (int i = 0; i < N * ILP; ++i) WGMMA(d[i % ILP], from.a[i], from.b[i], from.meta);
    wg_commit();
    wg_wait();
    window.close();
    UNROLL for (int j = 0; j < ILP; ++j) window.ready(d[j][0]);
  }
  window.report(args);
}
