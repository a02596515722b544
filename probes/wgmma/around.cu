// N wgmma that add to the same accumulator, with what AROUND names: nothing, a fence before each, a commit after each,
// both, or both and a wait for the previous one. In any case a fence precedes the first and a wait follows all.
#include "probe.cuh"
#include "wgmma/wgmma.cuh"

namespace around {
template <class From>
__device__ __forceinline__ void stream(const From& from, u32 (&d)[WG_D]) {
  wg_fence();
  UNROLL for (int i = 0; i < N; ++i) {
#if defined(AROUND_fence) || defined(AROUND_fence_commit) || defined(AROUND_fence_commit_wait)
    if (i > 0) wg_fence();
#endif
    WGMMA(d, from.a[i], from.b[i], from.meta);
#if defined(AROUND_commit) || defined(AROUND_fence_commit) || defined(AROUND_fence_commit_wait)
    if (i + 1 < N) wg_commit();
#endif
#ifdef AROUND_fence_commit_wait
    if (i + 1 < N) wg_wait<1>();
#endif
  }
  wg_commit();
  wg_wait();
}
}  // namespace around

PROBE {
  extern __shared__ __align__(1024) char tiles[];
  Window window;
  WgOperands<N> from(args, tiles, 1);
  u32 d[WG_D];
  PASSES {
    from.load(args);
    UNROLL for (int i = 0; i < WG_D; ++i) d[i] = from.seed;
    around::stream(from, d);
    window.ready(d[0]);
    __syncthreads();
    window.open();
    around::stream(from, d);
    window.close();
    window.ready(d[0]);
  }
  window.report(args);
}
