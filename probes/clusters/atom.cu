// atom by the cluster's first block on a word of each lane in the block of rank DISTANCE. Each operand is the word's
// previous contents.
#include "probe.cuh"
#include "clusters/cluster.cuh"

#undef ATOM
#ifdef OP_cas
#define ATOM(v, p) asm volatile("atom.relaxed.cluster.cas.b32 %0, [%1], %0, %2;" : "+r"(v) : "l"(p), "r"(swap))
#else
#define ATOM(v, p) asm volatile("atom.relaxed.cluster." OP "." TYPE " %0, [%1], %0;" : "+r"(v) : "l"(p))
#endif

CLUSTER_PROBE {
  __shared__ u32 tile[32];
  Window window;
  const u32 rank = cluster_rank();
  tile[lane()] = input(args, 0);
  cluster_sync();
  const u64 p = map_rank(tile + lane(), DISTANCE);
  u32 v = input(args, 2);
  [[maybe_unused]] const u32 swap = input(args, 3);
  if (rank == 0) {
    PASSES {
      window.ready(p);
      window.ready(v);
      window.ready(swap);
      window.open();
      UNROLL for (int i = 0; i < N; ++i) ATOM(v, p);
      window.wait(v);
      window.close();
    }
    window.report(args);
  }
  cluster_sync();
}
