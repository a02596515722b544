// tcgen05.mma one by one; each adds to the previous result in D.
#include "probe.cuh"
#include "tcgen05/multiply.cuh"
#include "tcgen05/trips.cuh"

TM_PROBE {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ u64 barrier;
  set_up(shared_address(&barrier), 1);
  const TmOperands from(args, tiles, tmem_allocate());
  if (tm_leads() && elected()) tm_one_by_one(args, from.d, shared_address(&barrier), [&](u32 i) { TM_MULTIPLY(from, i); });
  tmem_free(from.d);
}
