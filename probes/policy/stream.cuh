// All blocks except the first access `bytes` from `from` on once, together, by the method that the sweep's BY names.
// Loads and stores have 16 bytes per lane; a policy is one of createpolicy, for all of the accesses.
#include "mbarrier.cuh"

#undef BY_POLICY
#undef BY_ACCESS
#undef BY_STORE

#if defined(BY_ld_evict_first) || defined(BY_st_evict_first) || defined(BY_bulk_evict_first)
#define BY_POLICY "L2::evict_first"
#elif defined(BY_st_evict_last)
#define BY_POLICY "L2::evict_last"
#elif defined(BY_st_evict_unchanged)
#define BY_POLICY "L2::evict_unchanged"
#endif

#if defined(BY_ld_cs)
#define BY_ACCESS "ld.global.cs"
#elif defined(BY_ld_no_allocate)
#define BY_ACCESS "ld.global.L1::no_allocate"
#elif defined(BY_ld_nc)
#define BY_ACCESS "ld.global.nc"
#elif defined(BY_st_cs)
#define BY_STORE "st.global.cs"
#elif defined(BY_st)
#define BY_STORE "st.global"
#elif defined(BY_st_evict_first) || defined(BY_st_evict_last) || defined(BY_st_evict_unchanged)
#define BY_STORE "st.global.L2::cache_hint"
#elif defined(BY_ld_evict_first) || defined(BY_ld_range)
#define BY_ACCESS "ld.global.cg.L2::cache_hint"
#else
#define BY_ACCESS "ld.global.cg"
#endif

#if defined(BY_POLICY) || defined(BY_ld_range)
#define BY_HINT ", %5"
#else
#define BY_HINT ""
#endif

// evict_last for the first HOT_MIB MiB of the data, evict_first for the rest.
__device__ __forceinline__ u64 range_policy(const Args& args) {
  u64 policy;
  asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], %2, %3;"
               : "=l"(policy) : "l"(args.data), "r"(HOT_MIB << 20), "r"(static_cast<u32>(args.data_bytes)));
  return policy;
}

__device__ __forceinline__ void stream(const Args& args, char* from, u64 bytes, Window& window) {
  u64 policy = 0;
#if defined(BY_ld_range)
  policy = range_policy(args);
#elif defined(BY_POLICY)
  asm volatile("createpolicy.fractional." BY_POLICY ".b64 %0, 1.0;" : "=l"(policy));
#endif
#if defined(BY_bulk) || defined(BY_bulk_evict_first)
  // One thread of a block has four copies of 8 KiB in flight. Nothing reads the data.
  constexpr u32 piece = 8192, pieces = 4;
  __shared__ __align__(128) char buffers[pieces * piece];
  __shared__ u64 barrier;
  const u32 to = shared_address(buffers), meeting = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(meeting) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    u32 parity = 0;
    for (u64 at = u64{blockIdx.x - 1} * piece * pieces; at + piece * pieces <= bytes;
         at += u64{gridDim.x - 1} * piece * pieces) {
      expect(meeting, piece * pieces);
      for (u32 i = 0; i < pieces; ++i) {
#ifdef BY_POLICY
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
                     ::"r"(to + i * piece), "l"(from + at + i * piece), "n"(piece), "r"(meeting), "l"(policy) : "memory");
#else
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(to + i * piece), "l"(from + at + i * piece), "n"(piece), "r"(meeting) : "memory");
#endif
      }
      u32 late = 0;
      await_over(late, meeting, parity);
      if (late) __trap();
      parity ^= 1;
    }
  }
#else
  const u64 step = u64{gridDim.x - 1} * blockDim.x * 16;
  _Pragma("unroll 4") for (u64 at = (u64{blockIdx.x - 1} * blockDim.x + threadIdx.x) * 16; at < bytes; at += step) {
#ifdef BY_STORE
    asm volatile(BY_STORE ".v4.u32 [%0], {%1, %2, %3, %4}" BY_HINT ";"
                 ::"l"(from + at), "r"(args.zero), "r"(args.zero), "r"(args.zero), "r"(args.zero), "l"(policy) : "memory");
#else
    u32 v[4];
    asm volatile(BY_ACCESS ".v4.u32 {%0, %1, %2, %3}, [%4]" BY_HINT ";"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(from + at), "l"(policy));
    window.ready(v);  // all of it: ptxas would load only the part that is used
#endif
  }
#endif
}
#undef BY_HINT
