// Kernels for clusters of the sweep's CLUSTER blocks, and access to the shared memory of other blocks. The size is
// compiled in; without it each barrier.cluster becomes two branches, one of them for launches without clusters.
#undef CLUSTER_PROBE
#define CLUSTER_PROBE \
  extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) KERNEL(const __grid_constant__ Args args)

__device__ __forceinline__ u32 cluster_rank() {
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// The address, in the shared memory of the block of that rank, that corresponds to `shared` in this block's own.
__device__ __forceinline__ u32 map_rank(u32 shared, u32 rank) {
  u32 mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(shared), "r"(rank));
  return mapped;
}

// The same as a generic address that the compiler cannot trace back to shared memory. The access instruction is the
// same either way, but ptxas would otherwise assemble the upper half of the address before each access, inside the
// window.
__device__ __forceinline__ u64 map_rank(const void* own, u32 rank) {
  __shared__ volatile u64 place[1024];
  u64 mapped;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(own), "r"(rank));
  place[threadIdx.x] = mapped;
  return place[threadIdx.x];
}

// All threads of the cluster wait for each other, and then see what the others wrote before.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
