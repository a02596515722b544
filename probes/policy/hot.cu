// N dependent loads, past L1, by the first SM, of lines of a hot set of HOT_MIB MiB, in the order of a ring. Before
// them all other SMs have read the set by loads with the createpolicy priority HOT (for FRACTION percent of them) and
// then args.at MiB of other data once, BY some method. Then they read the set again: the counters of loads show what L2
// still has of it, because nothing else is read twice.
#include "probe.cuh"
#include "policy/ring.cuh"
#include "policy/stream.cuh"

#undef HOT_LOAD
#ifdef HOT_none
#define HOT_LOAD(v, p, policy) \
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(p))
#else
#define HOT_LOAD(v, p, policy)                                             \
  asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;" \
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(p), "l"(policy))
#endif

// Everything except the chase; gathers keep the two in step.
__device__ __forceinline__ void surround(const Args& args, Window& window, Gather& gather) {
  constexpr u32 lines = (HOT_MIB << 20) / 128;
  u32* const kept = reinterpret_cast<u32*>(args.data + args.data_bytes) - 1;
  const u32 threads = (gridDim.x - 1) * blockDim.x, thread = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
  // Stored only by the first launch, so that the lines of the set are clean in all others.
  u32 stored = 0;
  if (threadIdx.x == 0) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(stored) : "l"(kept) : "memory");
  if (!__syncthreads_or(stored))
    for (u32 line = thread; line < lines; line += threads)
      *reinterpret_cast<u64*>(args.data + u64{line} * 128) = address_after(args, line, lines);
  u64 policy = 0;
#if defined(HOT_range)
  policy = range_policy(args);
#elif !defined(HOT_none)
  asm volatile("createpolicy.fractional.L2::" HOT ".b64 %0, %1;" : "=l"(policy) : "f"(FRACTION / 100.0f));
#endif
  gather.wait(args);
  _Pragma("unroll 4") for (u32 at = thread; at < lines * 8; at += threads) {
    u32 v[4];
    HOT_LOAD(v, args.data + u64{at} * 16, policy);
    window.ready(v);  // all of it: ptxas would load only the part that is used
  }
  gather.wait(args);
#ifdef THEN_applypriority
  for (u32 line = thread; line < lines; line += threads)
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(args.data + u64{line} * 128) : "memory");
#endif
  gather.wait(args);
  stream(args, args.data + u64{lines} * 128, args.at << 20, window);
  gather.wait(args);
  gather.wait(args);
  _Pragma("unroll 4") for (u32 at = thread; at < lines * 8; at += threads) {
    u32 v[4];
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(args.data + u64{at} * 16));
    window.ready(v);  // all of it: ptxas would load only the part that is used
  }
  if (thread == 0) *kept = 1;
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
  gather.wait(args);
  u64 p = first_line(args, (HOT_MIB << 20) / 128);
  PASSES {
    if (pass + 1 == args.passes)
      for (int part = 0; part < 3; ++part) gather.wait(args);
    TIMED_HOPS(p);
  }
  gather.wait(args);
  if (threadIdx.x == 0) count_fact(args, 0, gather.late);
  window.report(args);
}
