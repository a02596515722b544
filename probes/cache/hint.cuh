// Loads of 16 bytes with the sweep's HINT: a cache operator (ca, cg, cs, lu, cv), nc, an L1 eviction priority
// (L1::evict_last, ...) or a createpolicy priority (policy.evict_last, ...), given as L2::cache_hint. A probe of L2
// defines BEYOND_L1 to keep its lines out of L1.
#undef HINTED_LOAD
#undef HINT_POLICY

#if defined(HINT_policy_evict_first)
#define HINT_POLICY "L2::evict_first"
#elif defined(HINT_policy_evict_last)
#define HINT_POLICY "L2::evict_last"
#elif defined(HINT_policy_evict_normal)
#define HINT_POLICY "L2::evict_normal"
#elif defined(HINT_policy_evict_unchanged)
#define HINT_POLICY "L2::evict_unchanged"
#endif

#ifdef HINT_POLICY
#define HINTED_LOAD(v, p, policy)                                                        \
  asm volatile("ld.global" BEYOND_L1 ".L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"             \
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])                          \
               : "l"(p), "l"(policy)                                                     \
               : "memory")
#elif defined(HINT_none)
#define HINTED_LOAD(v, p, policy) PLAIN_LOAD(v, p)
#else
#define HINTED_LOAD(v, p, policy)                                                        \
  asm volatile("ld.global." HINT ".v4.u32 {%0, %1, %2, %3}, [%4];"                       \
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])                          \
               : "l"(p)                                                                  \
               : "memory")
#endif

#ifndef BEYOND_L1
#define BEYOND_L1 ""
#endif
#undef PLAIN_LOAD
#define PLAIN_LOAD(v, p)                                                                 \
  asm volatile("ld.global" BEYOND_L1 ".v4.u32 {%0, %1, %2, %3}, [%4];"                                \
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])                          \
               : "l"(p)                                                                  \
               : "memory")

// The policy operand, or 0 if there is none.
__device__ __forceinline__ u64 hint_policy() {
  u64 policy = 0;
#ifdef HINT_POLICY
  asm volatile("createpolicy.fractional." HINT_POLICY ".b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

#undef HOT_LOAD
#undef STREAM_LOAD
#ifdef ON_hot
#define HOT_LOAD(v, p, policy) HINTED_LOAD(v, p, policy)
#define STREAM_LOAD(v, p, policy) PLAIN_LOAD(v, p)
#else
#define HOT_LOAD(v, p, policy) PLAIN_LOAD(v, p)
#define STREAM_LOAD(v, p, policy) HINTED_LOAD(v, p, policy)
#endif
