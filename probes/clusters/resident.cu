// Launches more clusters than fit, with one block per SM: the largest number of blocks that run at a time, and the SMs
// on which any ran. Every block stays for a while; otherwise the first ones would be gone before the last that fit
// arrive.
#include "probe.cuh"
#include "clusters/cluster.cuh"

CLUSTER_PROBE {
  Window window;
  PASSES {
    window.open();
    window.close();
  }
  window.report(args);
  if (threadIdx.x != 0) return;
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const u32 there = atomicAdd(args.facts + 8, 1) + 1;
  atomicMax(args.facts, there);
  const u32 bit = 1u << sm % 32;
  if (sm < 7 * 32 && (atomicOr(args.facts + 9 + sm / 32, bit) & bit) == 0) count_fact(args, 1, 1);
  for (u32 i = 0; i < 100; ++i) __nanosleep(1000);
  atomicSub(args.facts + 8, 1);
}
