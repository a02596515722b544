// All blocks of the grid wait for each other, for the first time or once more in each `round`, so that none is timed
// while another still warms its caches. There is no fence, which would empty L1, and the blocks poll with atomic
// operations, which the counters of loads leave out. Uses the last of the facts. Returns whether this block gave up,
// because another process may keep some blocks from running; this must be a premise.
__device__ __forceinline__ u32 gather(const Args& args, u32 round = 0, u32 patience = 20000) {
  u32 late = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    const u32 all = (round + 1) * gridDim.x;
    u32 arrived = atomicAdd(args.facts + 15, 1) + 1;
    for (u32 tries = 0; tries < patience && arrived < all; ++tries) {
      __nanosleep(500);
      arrived = atomicAdd(args.facts + 15, args.zero);
    }
    late = arrived < all;
  }
  __syncthreads();
  return late;
}
