// N times one wgmma, its commit and the wait for it; each adds to the previous result in the accumulator.
#include "probe.cuh"
#include "wgmma/wgmma.cuh"

PROBE {
  extern __shared__ __align__(1024) char tiles[];
  Window window;
  WgOperands<N> from(args, tiles, 1);
  u32 d[WG_D];
  PASSES {
    from.load(args);
    UNROLL for (int i = 0; i < WG_D; ++i) d[i] = from.seed;
    wg_fence();
    UNROLL for (int i = 0; i < N; ++i) WGMMA(d, from.a[i], from.b[i], from.meta);
    wg_commit();
    wg_wait();
    window.ready(d[0]);
    window.open();
    wg_fence();
    UNROLL for (int i = 0; i < N; ++i) {
      WGMMA(d, from.a[i], from.b[i], from.meta);
      wg_commit();
      wg_wait();
    }
    window.close();
    window.ready(d[0]);
  }
  window.report(args);
}
