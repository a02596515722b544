// N trips of DEPTH stores of BYTES per lane by every block of the cluster to the shared memory of the next rank, then a
// load of one of the last stored words.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/meet.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  __shared__ __align__(16) char tile[32 * 1024];
  Window window;
  constexpr u32 row = 32 * BYTES;
  const u64 p = map_rank(tile + (warp() * DEPTH * row + lane() * BYTES) % sizeof tile, (cluster_rank() + 1) % CLUSTER);
  u32 v[WORDS], last;
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  cluster_sync();
  PASSES {
    window.ready(p);
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.relaxed.cluster", "l", p + i * row, v);
    asm volatile("ld.relaxed.cluster.u32 %0, [%1];" : "=r"(last) : "l"(p + (DEPTH - 1) * row));
    window.wait(last);
    window.close();
  }
  window.report(args);
  cluster_sync();
}
