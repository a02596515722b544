// Like write_queue.cu, with bulk copies: N trips of STAGES copies of BYTES from shared memory by one thread of each
// block, each in its own group. STAGES of them are outstanding.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  Window window;
  for (u32 at = lane() * 4; at < STAGES * BYTES; at += 32 * 4) *reinterpret_cast<volatile u32*>(buffers + at) = lane();
  const u32 from = shared_address(buffers);
  set_up(from, 0);
  if (!elected()) return;
  constexpr u32 trip_bytes = STAGES * BYTES;
  const u64 base = reinterpret_cast<u64>(args.data);
  const u32 mask = static_cast<u32>(args.data_bytes / trip_bytes) - 1;
  const u32 first = static_cast<u32>(launch_hash(args)) + gridDim.x;
  u32* const taken = args.facts + 14;
  u32 next = blockIdx.x - gridDim.x;
  BULK_PASSES {
    window.ready(base);
    window.ready(from);
    window.ready(next);
    window.ready(first);
    window.ready(reinterpret_cast<u64>(taken));
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 to = base + u64{(next + first) & mask} * trip_bytes;
      next = atomicAdd(taken, 1);
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        bulk_store(to + s * BYTES, from + s * BYTES, BYTES);
        bulk_commit();
        BULK_WAIT(STAGES - 1);
      }
    }
    BULK_WAIT(0);
    window.wait(next);
    window.close();
  }
  window.report(args);
}
