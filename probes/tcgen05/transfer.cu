// Transfers within the tensor core, or into it, one by one.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"
#include "tcgen05/trips.cuh"
#include "tcgen05/transfer.cuh"

PROBE {
  __shared__ __align__(1024) char tiles[32 * 1024];
  __shared__ u64 barrier;
  set_up(shared_address(&barrier), 1);
  const u32 at = tmem_allocate();
  const u64 from = tm_source(args, tiles);
  if (elected()) tm_one_by_one(args, at, shared_address(&barrier), [&](u32 i) { TM_TRANSFER(at, from, i); });
  tmem_free(at);
}
