// Each block of 256 threads copies ROUNDS pieces of 16 KiB, and after each reads 8 KiB of a hot set of HOT_MIB MiB,
// through which all blocks together go several times. HINT says what is kept in the caches: the stream evicted first,
// the hot set last, both, or the stream without room in L1.
#include "cases.cuh"

constexpr u32 threads = 256, together = 4, hot_together = 2, lines = HOT_MIB * 256;  // of 4 KiB

__device__ inline u64 policy_first() {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

__device__ inline u64 policy_last() {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

#define LOAD_BY(how, ...) \
  asm volatile("ld.global." how : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p), ##__VA_ARGS__)
#define FOUR ".v4.u32 {%0, %1, %2, %3}, [%4]"

__device__ inline uint4 load_stream(const uint4* p) {
  uint4 v;
#if HINT_first || HINT_both
  LOAD_BY("L2::cache_hint" FOUR ", %5;", "l"(policy_first()));
#elif HINT_no_allocate
  LOAD_BY("L1::no_allocate" FOUR ";");
#else
  LOAD_BY("v4.u32 {%0, %1, %2, %3}, [%4];");
#endif
  return v;
}

__device__ inline uint4 load_hot(const uint4* p) {
  uint4 v;
#if HINT_last || HINT_both
  LOAD_BY("L2::cache_hint" FOUR ", %5;", "l"(policy_last()));
#else
  LOAD_BY("v4.u32 {%0, %1, %2, %3}, [%4];");
#endif
  return v;
}

__device__ inline void store_stream(uint4* p, uint4 v) {
#if HINT_first || HINT_both
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w), "l"(policy_first()));
#else
  *p = v;
#endif
}

CASE copy_hot(const uint4* __restrict__ in, const uint4* __restrict__ hot, uint4* __restrict__ out,
              u32* __restrict__ sums) {
  const u32 first = blockIdx.x * threads * together * ROUNDS + threadIdx.x;
  u32 line = blockIdx.x * hot_together % lines, sum = 0;
  ROLLED for (u32 round = 0; round < ROUNDS; ++round) {
    uint4 v[together], h[hot_together];
    const u32 from = first + round * threads * together;
    UNROLL for (u32 k = 0; k < together; ++k) v[k] = load_stream(in + from + k * threads);
    UNROLL for (u32 k = 0; k < hot_together; ++k) h[k] = load_hot(hot + (line + k) * threads + threadIdx.x);
    UNROLL for (u32 k = 0; k < together; ++k) store_stream(out + from + k * threads, v[k]);
    UNROLL for (u32 k = 0; k < hot_together; ++k) sum += h[k].x ^ h[k].y ^ h[k].z ^ h[k].w;
    line = (line + BLOCKS * hot_together) % lines;
  }
  sums[blockIdx.x * threads + threadIdx.x] = sum;
}
