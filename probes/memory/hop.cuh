// One step of a chase through global memory, by a load with the sweep's PATH (ca, cg, cv, nc, ...), and where it
// starts.
#undef HOP
#define HOP(p) asm volatile("ld.global." PATH ".u64 %0, [%0];" : "+l"(p))

// A slot of the chain, another one in every launch and in every block.
__device__ __forceinline__ u64 start(const Args& args, u64 slots) {
  const u64 slot = launch_hash(args) % slots + slots * blockIdx.x / gridDim.x;
  return reinterpret_cast<u64>(args.data + slot % slots * STRIDE);
}
