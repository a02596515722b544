// Like queue.cu, with bulk copies from shared memory: trips of STAGES copies of BYTES by one thread of each block, each
// in its own group, until all blocks together have made N trips a block. STAGES copies are outstanding.
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
  const u32 mask = static_cast<u32>(args.data_bytes / trip_bytes) - 1, trips = N * gridDim.x;
  const u32 first = static_cast<u32>(launch_hash(args));
  u32* const taken = args.facts + 14;
  BULK_PASSES {
    // Each block takes one number more than it has trips.
    const u32 begin = pass * (trips + gridDim.x);
    u32 mine = atomicAdd(taken, 1) - begin;
    window.ready(base);
    window.ready(from);
    window.ready(mine);
    window.ready(first);
    window.ready(begin);
    window.ready(reinterpret_cast<u64>(taken));
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") while (mine < trips) {
      const u64 to = base + u64{(mine + first) & mask} * trip_bytes;
      mine = atomicAdd(taken, 1) - begin;
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        bulk_store(to + s * BYTES, from + s * BYTES, BYTES);
        bulk_commit();
        BULK_WAIT(STAGES - 1);
      }
    }
    BULK_WAIT(0);
    window.wait(mine);
    window.close();
  }
  window.report(args);
}
