// Each block of 256 threads copies ITEMS lines of 4 KiB; HINT says how lines are kept in the caches.
#include "cases.cuh"

constexpr u32 threads = 256, together = 4;

__device__ inline uint4 load(const uint4* p) {
  uint4 v;
#if HINT_cs || HINT_cs_wt
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
#elif HINT_cg
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
#elif HINT_nc
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
#else
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
#endif
  return v;
}

__device__ inline void store(uint4* p, uint4 v) {
#if HINT_cs
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
#elif HINT_wt || HINT_cs_wt
  asm volatile("st.global.wt.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
#else
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
#endif
}

CASE copy(const uint4* __restrict__ in, uint4* __restrict__ out) {
  const u32 first = blockIdx.x * threads * ITEMS + threadIdx.x;
  ROLLED for (u32 i = 0; i < ITEMS; i += together) {
    uint4 v[together];
    UNROLL for (u32 k = 0; k < together; ++k) v[k] = load(in + first + (i + k) * threads);
    UNROLL for (u32 k = 0; k < together; ++k) store(out + first + (i + k) * threads, v[k]);
  }
}
