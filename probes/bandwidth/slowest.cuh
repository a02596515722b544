// The rate of the slowest SM in the last pass as the first fact, in thousandths of a byte per clock. All threads of the
// block call it after the window, in which each moves `bytes`. Uses the ninth and the tenth of the facts.
__device__ __forceinline__ void report_slowest(const Args& args, const Window& window, u64 bytes) {
  u32* const most = args.facts + 8;
  u32* const blocks = args.facts + 9;
  u32 threads;  // volatile, so that no instruction for it is in the window
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(threads)::"memory");
  // The fence empties L1, from which other warps may still load in their windows.
  __syncthreads();
  atomicMax(most, static_cast<u32>(window.closed - window.opened));
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(blocks, 1) + 1 == gridDim.x)
    fact(args, 0, bytes * threads * 1000 / atomicMax(most, 0));
}
