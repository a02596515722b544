// What a producer writes and its consumer reads: MIB MiB, written by stores of the sweep's BY, 16 bytes per lane. They
// form the ring that is followed. All blocks except the first take part.
#undef WRITE
#undef HANDOFF_POLICY
#if defined(BY_evict_first) || defined(BY_evict_last) || defined(BY_evict_unchanged)
#define HANDOFF_POLICY "createpolicy.fractional.L2::" BY ".b64 %0, 1.0;"
#define WRITE(p, lo, hi, policy)                                                                                       \
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %1, %2}, %3;" ::"l"(p), "r"(lo), "r"(hi), "l"(policy) \
               : "memory")
#else
#define HANDOFF_POLICY "mov.u64 %0, 0;"
#define WRITE(p, lo, hi, policy) \
  asm volatile("st.global." BY ".v4.u32 [%0], {%1, %2, %1, %2};" ::"l"(p), "r"(lo), "r"(hi) : "memory")
#endif

constexpr u32 all_lines = (MIB << 20) / 128;

__device__ __forceinline__ u32 sharers() { return (gridDim.x - 1) * blockDim.x; }
__device__ __forceinline__ u32 sharer() { return (blockIdx.x - 1) * blockDim.x + threadIdx.x; }

__device__ __forceinline__ void write_ring(const Args& args, u32 lines) {
  u64 policy;
  asm volatile(HANDOFF_POLICY : "=l"(policy));
  for (u32 at = sharer(); at < lines * 8; at += sharers()) {
    const u64 next = address_after(args, at / 8, lines);
    WRITE(args.data + u64{at} * 16, static_cast<u32>(next), static_cast<u32>(next >> 32), policy);
  }
}

// Each block reads, past L1, what its neighbour wrote.
__device__ __forceinline__ void read_ring(const Args& args, Window& window) {
  const u32 threads = sharers();
  _Pragma("unroll 4") for (u32 at = (sharer() + blockDim.x) % threads; at < all_lines * 8; at += threads) {
    u32 v[4];
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(args.data + u64{at} * 16));
    window.ready(v);  // all of it: ptxas would load only the part that is used
  }
}
