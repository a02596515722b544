// N trips of 8 loads of BYTES a lane from shared memory, every lane at a place that the config's `along:` says.
#include "probe.cuh"
#include "bandwidth/words.cuh"

PROBE {
  __shared__ __align__(16) char tile[32 * 1024];
  Window window;
#ifdef PATTERN_stride  // lanes args.at words of BYTES apart
  const u32 place = lane() * static_cast<u32>(args.at) * BYTES;
#elif defined(PATTERN_degree)  // args.at lanes at different words of one bank, the next args.at at those of the next
  const u32 degree = max(static_cast<u32>(args.at), 1u), place = lane() % degree * 32 * BYTES + lane() / degree * BYTES;
#elif defined(PATTERN_share)  // args.at neighbouring lanes at the same word
  const u32 place = lane() / max(static_cast<u32>(args.at), 1u) * BYTES;
#elif defined(PATTERN_interleave)  // lanes args.at apart at the same word
  const u32 place = lane() % max(static_cast<u32>(args.at), 1u) * BYTES;
#endif
  // With what only memory knows, or ptxas would compute it again inside the window.
  const u32 p = shared_address(tile) + place % sizeof tile + (input(args, 0) & args.zero);
  u32 v[8][WORDS];
  PASSES {
    window.ready(p);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < 8; ++i) LOAD("ld.volatile.shared", "r", v[i], p);
    UNROLL for (int i = 0; i < 8; ++i) window.wait(v[i]);
    window.close();
  }
  window.report(args);
}
