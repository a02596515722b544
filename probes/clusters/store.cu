// N stores of BYTES per lane by the cluster's first block to the shared memory of the block of rank DISTANCE, to eight
// places in turn.
#include "probe.cuh"
#include "clusters/cluster.cuh"

#undef STORE
#if BYTES == 4
#define STORE(p, v) asm volatile("st.u32 [%0], %1;" ::"l"(p), "r"(v[0]))
#elif BYTES == 8
#define STORE(p, v) asm volatile("st.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(v[0]), "r"(v[1]))
#else
#define STORE(p, v) \
  asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]))
#endif

CLUSTER_PROBE {
  __shared__ __align__(16) char tile[32 * BYTES * 8];
  Window window;
  const u32 rank = cluster_rank();
  u32 v[BYTES / 4];
  UNROLL for (int i = 0; i < BYTES / 4; ++i) v[i] = input(args, i);
  const u64 p = map_rank(tile + lane() * BYTES, DISTANCE);
  cluster_sync();
  if (rank == 0) {
    PASSES {
      window.ready(p);
      window.ready(v);
      window.open();
      UNROLL for (int i = 0; i < N; ++i) STORE(p + i % 8 * 32 * BYTES, v);
      window.close();
    }
    window.report(args);
  }
  cluster_sync();
}
