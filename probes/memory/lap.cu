// One SM goes through all slots of the data in one order, lap after lap, so that of more lines than a cache holds none
// is there when its turn comes again. Two laps by all warps, of which the first writes the chain; then N hops of one
// lane go on in the same order, from pass to pass. Every launch begins at another slot.
#include "memory/hop.cuh"
#include "probe.cuh"

PROBE {
  Window window;
  const u64 slots = args.data_bytes / STRIDE, begin = launch_hash(args) % slots;
  // A step that has no factor in common with any number of slots below it, so that the order visits each once.
  const auto at = [&](u64 turn) { return reinterpret_cast<u64>(args.data) + (begin + turn) % slots * 16777213 % slots * STRIDE; };
  _Pragma("unroll 1") for (u64 turn = threadIdx.x; turn < slots; turn += blockDim.x)
    *reinterpret_cast<volatile u64*>(at(turn)) = at(turn + 1);
  __threadfence();
  __syncthreads();
  u64 seen = 0;
  _Pragma("unroll 4") for (u64 turn = threadIdx.x; turn < slots; turn += blockDim.x) {
    u64 next = at(turn);
    HOP(next);
    seen ^= next;
  }
  window.ready(seen);
  __syncthreads();
  if (warp() != 0) return;
  u64 p = at(0) + (seen & args.zero);
  PASSES { TIMED_HOPS(p); }
  window.report(args);
}
