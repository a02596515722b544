// One step of a chase through global memory, by a load with the sweep's PATH (ca, cg, cv, nc, ...), and where it starts.
#undef HOP
#define HOP(p) asm volatile("ld.global." PATH ".u64 %0, [%0];" : "+l"(p))

// A slot of the chain. Every launch has its own place for clock readings, so this spreads launches over the slots.
__device__ __forceinline__ u64 start(const Args& args, u64 slots) {
  const u64 launch = reinterpret_cast<u64>(args.clocks) / 16 + blockIdx.x;
  return reinterpret_cast<u64>(args.data + (launch * 0x9e3779b97f4a7c15u >> 24) % slots * STRIDE);
}
