// One cluster: the SM on which the block of rank RANK runs, and the number of SMs that the cluster uses.
#include "probe.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  __shared__ u32 sms[CLUSTER];
  Window window;
  PASSES {
    window.open();
    window.close();
  }
  window.report(args);
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const u32 rank = cluster_rank();
  if (threadIdx.x == 0) {
    if (rank == RANK) fact(args, 0, sm);
    asm volatile("st.u32 [%0], %1;" ::"l"(map_rank(sms + rank, 0)), "r"(sm) : "memory");
  }
  cluster_sync();
  if (rank != 0 || threadIdx.x != 0) return;
  u32 distinct = 0;
  for (u32 i = 0; i < CLUSTER; ++i) {
    bool seen = false;
    for (u32 k = 0; k < i; ++k) seen |= sms[k] == sms[i];
    distinct += !seen;
  }
  fact(args, 1, distinct);
}
