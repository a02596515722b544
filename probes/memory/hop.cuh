// One step of a chase through global memory, by a load with the sweep's PATH (ca, cg, cv, nc, ...), and the start of
// the chase.
#undef HOP
#define HOP(p) asm volatile("ld.global." PATH ".u64 %0, [%0];" : "+l"(p))

// A slot of the chain, different in every launch and every block.
__device__ __forceinline__ u64 start(const Args& args, u64 slots) {
  const u64 slot = launch_hash(args) % slots + slots * blockIdx.x / gridDim.x;
  return reinterpret_cast<u64>(args.data + slot % slots * STRIDE);
}

// Called by a warp: loads a word between two slots in every 2 MiB, 32 at a time. The data are not used, but their
// address translation is then available.
__device__ __forceinline__ u64 warm_translation(const Args& args) {
  u64 seen = 0;
  for (u64 at = u64{lane()} << 21; at < args.data_bytes; at += u64{32} << 21) {
    u64 q = reinterpret_cast<u64>(args.data) + at + STRIDE / 2;
    HOP(q);
    seen ^= q;
  }
  return seen;
}
