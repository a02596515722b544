// What all probes of bulk copies share: a single thread, and mbarriers that count bytes.
#include "mbarrier.cuh"

// True for one thread of the warp. ptxas knows that a thread chosen by `elect.sync` is alone. Around a copy by any
// other it puts a loop over the threads that might be active too (ELECT, BRA.U.ANY).
__device__ __forceinline__ bool elected() {
  u32 one;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(one));
  return one != 0;
}

// Called by all threads of a block of one warp: initialises `count` mbarriers from `first` on, each for one arrival.
// What the warp has written to shared memory before is then visible to copies too.
__device__ __forceinline__ void set_up(u32 first, u32 count) {
  if (threadIdx.x == 0) {
    for (u32 i = 0; i < count; ++i)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(first + i * 8) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
}
// A 0 that the compiler does not know to be equal in all threads.
__device__ __forceinline__ u32 none_late(const Args& args) { return lane() & args.zero; }
#undef BULK_PASSES
// PASSES for one thread. It starts from a 0 that may differ between threads. Otherwise ptxas reads the clock on which
// the counter depends into a uniform register, with another instruction than the opening one (seen on sm_120).
#define BULK_PASSES \
  _Pragma("unroll 1") for (u32 pass = none_late(args); pass < args.passes; pass = window.next(pass, args.zero))

#undef BULK_POLICY
#undef BULK_HINT
#undef BULK_HINT_OPERAND
// A sweep may set HINT (evict_first, evict_normal, evict_last, none): the L2 priority of the source of a copy.
#if defined(HINT) && !defined(HINT_none)
#define BULK_HINT ".L2::cache_hint"
#define BULK_HINT_OPERAND ", %4"
#define BULK_POLICY "createpolicy.fractional.L2::" HINT ".b64 %0, 1.0;"
#else
#define BULK_HINT ""
#define BULK_HINT_OPERAND ""
#define BULK_POLICY "mov.u64 %0, 0;"
#endif

__device__ __forceinline__ u64 bulk_policy() {
  u64 policy;
  asm volatile(BULK_POLICY : "=l"(policy));
  return policy;
}
__device__ __forceinline__ void bulk_load(u32 to, u64 from, u32 bytes, u32 barrier, u64 policy = 0) {
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" BULK_HINT
               " [%0], [%1], %2, [%3]" BULK_HINT_OPERAND ";" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
               : "memory");
}

#undef BULK_TO_GLOBAL
// From shared to global memory: a copy, or a reduction if the sweep has OP and TYPE. MASK: the bytes of each 16 that are
// written.
#if defined(OP) && defined(TYPE)
#define BULK_TO_GLOBAL "cp.reduce.async.bulk.global.shared::cta.bulk_group." OP "." TYPE
#else
#define BULK_TO_GLOBAL "cp.async.bulk.global.shared::cta.bulk_group"
#endif
__device__ __forceinline__ void bulk_store(u64 to, u32 from, u32 bytes) {
#ifdef MASK
  asm volatile(BULK_TO_GLOBAL ".cp_mask [%0], [%1], %2, %3;" ::"l"(to), "r"(from), "r"(bytes), "h"(u16{MASK}) : "memory");
#else
  asm volatile(BULK_TO_GLOBAL " [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
#endif
}

#undef BULK_TO_CLUSTER
// From shared memory to that of a block of the cluster, in which the barrier is too.
#if defined(OP) && defined(TYPE)
#define BULK_TO_CLUSTER "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." OP "." TYPE
#else
#define BULK_TO_CLUSTER "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#endif
__device__ __forceinline__ void bulk_to_cluster(u32 to, u32 from, u32 bytes, u32 barrier) {
  asm volatile(BULK_TO_CLUSTER " [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(barrier) : "memory");
}

__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

#undef BULK_WAIT
#undef BULK_WAIT_READ
// Waits until all groups but the youngest `groups` are visible; WAIT_READ waits until their bytes have been read.
#define BULK_WAIT(groups) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory")
#define BULK_WAIT_READ(groups) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory")
