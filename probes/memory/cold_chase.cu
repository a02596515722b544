// N dependent loads through stored addresses that no cache holds: L2 was swept before the launch, no slot is read
// twice, and every launch begins at another slot of the chain. Address translation is warm. VICTIMS: the sweep has left
// L2 full of lines to be written back; with `clean`, one block first reads 7/8 of the lines that are not slots, so that
// the loads find lines that can simply be dropped.
#include "probe.cuh"
#include "memory/hop.cuh"

PROBE {
  Window window;
  u64 seen = 0;
#ifdef VICTIMS_clean
  _Pragma("unroll 8") for (u64 at = threadIdx.x * 128; at < args.data_bytes; at += blockDim.x * 128) {
    u64 q = reinterpret_cast<u64>(args.data) + at;
    if (at % STRIDE >= STRIDE / 8) HOP(q);
    seen ^= q;
  }
  __syncthreads();
#endif
  if (warp() != 0) return;
  seen ^= warm_translation(args);
  u64 p = start(args, args.data_bytes / STRIDE) + (seen & args.zero);
  PASSES { TIMED_HOPS(p); }
  window.report(args);
}
