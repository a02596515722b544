// Tensor memory of the block, or of both blocks of a pair if the sweep's GROUP is 2: warp 0 allocates all 512 columns
// before the window and frees them after it.
#undef TM_STR
#undef TM_STR_
#undef TM_GROUP
#define TM_STR_(x) #x
#define TM_STR(x) TM_STR_(x)
#if defined(GROUP) && GROUP == 2
#define TM_GROUP ".cta_group::2"
#else
#define TM_GROUP ".cta_group::1"
#endif

// All threads of the block, or of the pair, wait for each other.
__device__ __forceinline__ void tm_sync() {
#if defined(GROUP) && GROUP == 2
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}
// Whether the warp has the thread that issues what the tensor core does: warp 0, of the first block of a pair.
__device__ __forceinline__ bool tm_leads() {
#if defined(GROUP) && GROUP == 2
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank == 0 && warp() == 0;
#else
  return warp() == 0;
#endif
}

__device__ __forceinline__ u32 tmem_allocate() {
  __shared__ u32 at;
  if (warp() == 0) {
    asm volatile("tcgen05.alloc" TM_GROUP ".sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(shared_address(&at))
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit" TM_GROUP ".sync.aligned;");
  }
  tm_sync();
  return *static_cast<volatile u32*>(&at);
}
__device__ __forceinline__ void tmem_free(u32 at) {
  tm_sync();
  if (warp() == 0) asm volatile("tcgen05.dealloc" TM_GROUP ".sync.aligned.b32 %0, 512;" ::"r"(at));
}
