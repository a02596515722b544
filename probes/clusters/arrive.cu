// N arrivals of ORDER, by one lane of the cluster's first block, at an mbarrier of the block of rank DISTANCE, which
// expects more arrivals.
#include "probe.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  __shared__ __align__(8) u64 barrier;
  Window window;
  const u32 own = shared_address(&barrier) + (input(args, 0) & args.zero);
  const u32 p = map_rank(own, DISTANCE);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1048575;" ::"r"(own) : "memory");
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    PASSES {
      window.ready(p);
      window.open();
      UNROLL for (int i = 0; i < N; ++i)
        asm volatile("mbarrier.arrive." ORDER ".cluster.shared::cluster.b64 _, [%0];" ::"r"(p));
      window.close();
    }
    window.report(args);
  }
  __syncwarp();
  cluster_sync();
}
