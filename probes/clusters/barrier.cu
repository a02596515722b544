// barrier.cluster.arrive of ORDER and barrier.cluster.wait by all warps of the cluster.
#include "probe.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  Window window;
  PASSES {
    cluster_sync();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      asm volatile("barrier.cluster.arrive." ORDER ".aligned;" ::: "memory");
      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
    window.close();
  }
  window.report(args);
}
