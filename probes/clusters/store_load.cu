// st by the cluster's first block to the block of rank DISTANCE, and ld of the same word, whose value is stored next.
#include "probe.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  __shared__ u32 tile[32];
  Window window;
  const u32 rank = cluster_rank();
  u32 v = input(args, 0);
  const u64 p = map_rank(tile + lane(), DISTANCE);
  cluster_sync();
  if (rank == 0) {
    PASSES {
      window.ready(p);
      window.ready(v);
      window.open();
      UNROLL for (int i = 0; i < N; ++i)
        asm volatile("st.relaxed.cluster.u32 [%1], %0;\n\tld.relaxed.cluster.u32 %0, [%1];"
                     : "+r"(v) : "l"(p));
      window.wait(v);
      window.close();
    }
    window.report(args);
  }
  cluster_sync();
}
