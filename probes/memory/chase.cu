// N dependent loads through stored addresses, from another slot of the chain in every launch and block. Before them
// each block reads every slot twice, in the order of the slots, by loads of the same kind; of many more bytes than an
// L1 has, only its part of them, which still is as much as an L1 has. When all have done so, the first warp of each is
// alone on its SM, all lanes at one address. The chase goes on from pass to pass.
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
  // What a cache of this size would hold after any number of hops, so that it does not depend on N.
  const u64 settling = slots <= 4096 ? slots : 0;
  _Pragma("unroll 1") for (u64 hop = 0; hop < settling; ++hop) HOP(p);
  PASSES {
    HOP(p);  // untimed: what is carried from pass to pass would be moved between registers inside the window
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) HOP(p);
    window.wait(p);
    window.close();
  }
  window.report(args);
}
