// All blocks of the grid wait for each other, so that all windows are open at the same time. The wait is limited,
// because another process may keep some blocks from running. Uses the last of the facts.
__device__ __forceinline__ void meet(const Args& args, u32 pass) {
  __syncthreads();
  if (threadIdx.x == 0) {
    volatile u32* arrived = args.facts + 15;
    const u32 before = atomicAdd(args.facts + 15, 1);
    for (u32 tries = before & args.zero; tries < 10000 && *arrived < (pass + 1) * gridDim.x; ++tries) {}
  }
  __syncthreads();
}
