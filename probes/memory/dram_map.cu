// N dependent loads through stored addresses that no cache holds, by each SM in turn. L2 was swept before the launch,
// and each SM continues in the chain where the previous one stopped, so that no slot is read twice and only one SM at a
// time loads. Every launch begins at another slot. Address translation is warm.
#include "probe.cuh"
#include "memory/hop.cuh"

// The slot at which the previous block stopped. Waiting blocks poll with atomic operations, which the counters of loads
// leave out, and poll less often the more blocks come before them. Uses the last two of the facts.
__device__ __forceinline__ u32 take_over(const Args& args, u32& late) {
  u32 slot = 0;
  if (lane() == 0) {
    u32 turn = atomicAdd(args.facts + 15, args.zero);
    for (u32 tries = 0; tries < 20000 && turn < blockIdx.x; ++tries) {
      __nanosleep(min((blockIdx.x - turn) * 4000, 1000000u));
      turn = atomicAdd(args.facts + 15, args.zero);
    }
    late = turn < blockIdx.x;
    __threadfence();
    slot = atomicAdd(args.facts + 14, args.zero);
  }
  return __shfl_sync(0xffffffff, slot, 0);
}

__device__ __forceinline__ void hand_over(const Args& args, u32 slot) {
  atomicExch(args.facts + 14, slot);
  __threadfence();
  atomicAdd(args.facts + 15, 1);
}

PROBE {
  Window window;
  const u64 base = reinterpret_cast<u64>(args.data);
  u32 late = 0;
  u64 p = blockIdx.x == 0 ? start(args, args.data_bytes / STRIDE) : base + u64{take_over(args, late)} * STRIDE;
  p += warm_translation(args) & args.zero;
  PASSES { TIMED_HOPS(p); }
  window.report_at(args, sm());
  if (lane() == 0) {
    count_fact(args, 0, late);
    hand_over(args, static_cast<u32>((p - base) / STRIDE));
  }
}
