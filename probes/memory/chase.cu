// N dependent loads through stored addresses, starting at another slot of the chain in every launch and block. Before
// them each block reads every slot twice, in the order of the slots, with loads of the same kind; if the data are much
// larger than an L1, it reads only its part, which is still as large as an L1. When all blocks have done so, only the
// first warp of each runs on its SM, with all lanes at one address. The chase continues from pass to pass.
#include "probe.cuh"
#include "memory/gather.cuh"
#include "memory/hop.cuh"

PROBE {
  Window window;
  const u64 slots = args.data_bytes / STRIDE;
  u64 seen = 0;
  const bool apart = args.data_bytes >> 20 >= gridDim.x;
  const u64 first = apart ? slots * blockIdx.x / gridDim.x : 0;
  const u64 last = apart ? slots * (blockIdx.x + 1) / gridDim.x : slots;
  _Pragma("unroll 1") for (int round = 0; round < 2; ++round)
    _Pragma("unroll 4") for (u64 slot = first + threadIdx.x; slot < last; slot += blockDim.x) {
      u64 next = reinterpret_cast<u64>(args.data + slot * STRIDE);
      HOP(next);
      seen ^= next;
    }
  const u32 late = gather(args);
  if (threadIdx.x == 0) count_fact(args, 0, late);
  if (warp() != 0) return;
  u64 p = start(args, slots) + (seen & args.zero);
  // Brings the cache to the state that it has after many hops, so that the result does not depend on N.
  const u64 settling = slots <= 4096 ? slots : 0;
  _Pragma("unroll 1") for (u64 hop = 0; hop < settling; ++hop) HOP(p);
  PASSES { TIMED_HOPS(p); }
  window.report(args);
}
