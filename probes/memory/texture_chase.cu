// N dependent texture reads of one texel each, whose value is the position of the next, starting at another texel of
// the chain in every launch and block. Before them each block reads every texel of the chain twice, in the order of
// their positions. When all blocks have done so, only the first warp of each runs on its SM, with all lanes at one
// texel. The chase continues from pass to pass.
#include "probe.cuh"
#include "memory/gather.cuh"

#undef HOP
#define HOP(p) \
  asm volatile("{ .reg .u32 b, c, d; tex.1d.v4.u32.s32 {%0, b, c, d}, [%1, {%0}]; }" : "+r"(p) : "l"(args.texture))

PROBE {
  Window window;
  const u32 slots = static_cast<u32>(args.data_bytes / STRIDE);
  u32 seen = 0;
  _Pragma("unroll 1") for (int round = 0; round < 2; ++round)
    _Pragma("unroll 4") for (u32 slot = threadIdx.x; slot < slots; slot += blockDim.x) {
      u32 next = slot * (STRIDE / 4);
      HOP(next);
      seen ^= next;
    }
  const u32 late = gather(args);
  if (threadIdx.x == 0) count_fact(args, 0, late);
  if (warp() != 0) return;
  const u64 first = launch_hash(args) % slots + u64{slots} * blockIdx.x / gridDim.x;
  u32 p = static_cast<u32>(first % slots) * (STRIDE / 4) + (seen & args.zero);
  // Brings the cache to the state that it has after many hops, so that the result does not depend on N.
  const u32 settling = slots <= 4096 ? slots : 0;
  _Pragma("unroll 1") for (u32 hop = 0; hop < settling; ++hop) HOP(p);
  PASSES { TIMED_HOPS(p); }
  window.report(args);
}
