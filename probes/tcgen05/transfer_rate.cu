// Trips of STEPS transfers within the tensor core, or into it, by one thread.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"
#include "tcgen05/trips.cuh"
#include "tcgen05/transfer.cuh"

PROBE {
  __shared__ __align__(1024) char tiles[32 * 1024];
  __shared__ __align__(16) u64 barriers[2];
  set_up(shared_address(barriers), 2);
  const u32 at = tmem_allocate();
  const u64 from = tm_source(args, tiles);
  if (elected()) tm_trips(args, at, shared_address(barriers), [&](u32 i) { TM_TRANSFER(at, from + 256 * (i % 8), i); });
  tmem_free(at);
}
