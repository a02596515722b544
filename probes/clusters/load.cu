// A load by the cluster's first block from the shared memory of the block of rank DISTANCE. Each address is the 64-bit
// word loaded before: every lane has a word that holds its own address.
#include "probe.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  __shared__ u64 tile[32];
  Window window;
  const u32 rank = cluster_rank();
  const u64 p = map_rank(tile + lane(), DISTANCE);
  tile[lane()] = map_rank(tile + lane(), rank);
  cluster_sync();
  if (rank == 0) {
    PASSES {
      u64 v = p + (pass & args.zero);  // different in every pass for the compiler: ptxas would move loads of the same
                                       // address out of the loop
      window.ready(v);
      window.open();
      UNROLL for (int i = 0; i < N; ++i) asm volatile("ld.u64 %0, [%0];" : "+l"(v));
      window.wait(v);
      window.close();
    }
    window.report(args);
  }
  cluster_sync();
}
