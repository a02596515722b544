// Trips of STEPS tcgen05.mma by one thread, all to one D, as in the main loop of a matrix product.
#include "probe.cuh"
#include "tcgen05/multiply.cuh"
#include "tcgen05/trips.cuh"

TM_PROBE {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ __align__(16) u64 barriers[2];
  set_up(shared_address(barriers), 2);
  const TmOperands from(args, tiles, tmem_allocate());
  if (tm_leads() && elected()) tm_trips(args, from.d, shared_address(barriers), [&](u32 i) { TM_MULTIPLY(from, i); });
  tmem_free(from.d);
}
