// N dependent loads, past L1, by the first SM, of lines that the others have just written: MIB MiB by stores of the kind
// BY, 16 bytes a lane, which are the ring that is followed. Then each of the others reads what its neighbour wrote.
#include "probe.cuh"
#include "policy/ring.cuh"

#undef WRITE
#if defined(BY_evict_first) || defined(BY_evict_last) || defined(BY_evict_unchanged)
#define HANDOFF_POLICY
#define WRITE(p, lo, hi, policy)                                                                                       \
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %1, %2}, %3;" ::"l"(p), "r"(lo), "r"(hi), "l"(policy) \
               : "memory")
#else
#define WRITE(p, lo, hi, policy) \
  asm volatile("st.global." BY ".v4.u32 [%0], {%1, %2, %1, %2};" ::"l"(p), "r"(lo), "r"(hi) : "memory")
#endif

constexpr u32 few = 1024;  // lines of the passes that bring the window's code along

// The writing and the reading, in step with the chase from gather to gather.
__device__ __forceinline__ void surround(const Args& args, Window& window, Gather& gather) {
  constexpr u32 all = (MIB << 20) / 128;
  const u32 threads = (gridDim.x - 1) * blockDim.x, thread = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
  u64 policy = 0;
#ifdef HANDOFF_POLICY
  asm volatile("createpolicy.fractional.L2::" BY ".b64 %0, 1.0;" : "=l"(policy));
#endif
  for (u32 pass = 0; pass < args.passes; ++pass) {
    const u32 lines = pass + 1 == args.passes ? all : few;
    for (u32 at = thread; at < lines * 8; at += threads) {
      const u64 next = address_after(args, at / 8, lines);
      WRITE(args.data + u64{at} * 16, static_cast<u32>(next), static_cast<u32>(next >> 32), policy);
    }
    gather.wait(args);
    gather.wait(args);
  }
  _Pragma("unroll 4") for (u32 at = (thread + blockDim.x) % threads; at < all * 8; at += threads) {
    u32 v[4];
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(args.data + u64{at} * 16));
    window.ready(v);  // whole, or ptxas would load a part
  }
}

PROBE {
  Window window;
  Gather gather;
  if (blockIdx.x != 0) {
    surround(args, window, gather);
    if (threadIdx.x == 0) count_fact(args, 0, gather.late);
    window.report(args);
    return;
  }
  if (warp() != 0) return;
  PASSES {
    gather.wait(args);
    u64 p = first_line(args, pass + 1 == args.passes ? (MIB << 20) / 128 : few);
    HOP(p);
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) HOP(p);
    window.wait(p);
    window.close();
    gather.wait(args);
  }
  if (threadIdx.x == 0) count_fact(args, 0, gather.late);
  window.report(args);
}
#undef HANDOFF_POLICY
