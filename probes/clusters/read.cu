// N trips of DEPTH loads of BYTES per lane by every block of the cluster from the shared memory of another block.
// PATTERN ring: each from the next rank; hot: all from the first.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/meet.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  __shared__ __align__(16) char tile[32 * 1024];
  Window window;
#ifdef PATTERN_ring
  const u32 from = (cluster_rank() + 1) % CLUSTER;
#else
  const u32 from = 0;
#endif
  constexpr u32 row = 32 * BYTES;
  const u64 p = map_rank(tile + (warp() * DEPTH * row + lane() * BYTES) % sizeof tile, from);
  u32 v[DEPTH][WORDS];
  cluster_sync();
  PASSES {
    window.ready(p);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.relaxed.cluster", "l", v[i], p + i * row);
    UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);
    window.close();
  }
  window.report(args);
  cluster_sync();
}
