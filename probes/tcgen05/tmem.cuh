// Tensor memory of the block: warp 0 allocates all 512 columns before the window and frees them after it.
#undef TM_STR
#undef TM_STR_
#define TM_STR_(x) #x
#define TM_STR(x) TM_STR_(x)

__device__ __forceinline__ u32 tmem_allocate() {
  __shared__ u32 at;
  if (warp() == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(shared_address(&at))
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  __syncthreads();
  return *static_cast<volatile u32*>(&at);
}
__device__ __forceinline__ void tmem_free(u32 at) {
  __syncthreads();
  if (warp() == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 512;" ::"r"(at));
}
