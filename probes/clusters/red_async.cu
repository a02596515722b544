// N times red.async by one thread of the cluster's first block to a word of the block of rank DISTANCE, whose mbarrier
// counts the bytes. That block waits for them after the window.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  __shared__ u32 sum;
  __shared__ u64 word;
  Window window;
  const u32 rank = cluster_rank(), barrier = shared_address(&word);
  const u32 to = map_rank(shared_address(&sum), DISTANCE), there = map_rank(barrier, DISTANCE);
  set_up(barrier, 1);
  u32 late = 0;
  if (rank == DISTANCE && threadIdx.x == 0) expect(barrier, 4 * N * args.passes);
  cluster_sync();
  if (rank == 0 && elected()) {
    BULK_PASSES {
      window.ready(to);
      window.ready(there);
      window.open();
      UNROLL for (int i = 0; i < N; ++i)
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(to),
                     "r"(1), "r"(there)
                     : "memory");
      window.close();
    }
    window.report(args);
  }
  __syncwarp();
  if (rank == DISTANCE && threadIdx.x == 0) {
    await_over(late, barrier, 0);
    count_fact(args, 0, late);
  }
  cluster_sync();
}
