// One cycle through all lines, in which consecutive lines are far apart: every line begins with the address of the
// next. The number of lines is a power of two.
__device__ __forceinline__ u32 line_after(u32 line, u32 lines) { return (line * 0x9e3779b1u + 0x7f4a7c15u) & (lines - 1); }

__device__ __forceinline__ u64 address_after(const Args& args, u32 line, u32 lines) {
  return reinterpret_cast<u64>(args.data) + u64{line_after(line, lines)} * 128;
}

// A first line that differs in every launch, because each launch has its own place for clock readings.
__device__ __forceinline__ u64 first_line(const Args& args, u32 lines) {
  const u64 launch = reinterpret_cast<u64>(args.clocks) / 16 * 0x9e3779b97f4a7c15u >> 24;
  // Varies by lane; otherwise ptxas would move it between register files inside the window.
  return reinterpret_cast<u64>(args.data) + (launch & (lines - 1)) * 128 + (threadIdx.x & args.zero);
}

#undef HOP
#define HOP(p) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p))

// All blocks of the grid wait for each other. They poll with atomic operations, which the counters of loads leave out,
// and seldom, so that they do not disturb a chase. Uses the last of the facts. How often a block gave up must be a
// premise.
struct Gather {
  u32 met = 0, late = 0;

  __device__ __forceinline__ void wait(const Args& args) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      met += gridDim.x;
      u32 arrived = atomicAdd(args.facts + 15, 1) + 1;
      for (u32 tries = 0; tries < 20000 && arrived < met; ++tries) {
        __nanosleep(500);
        arrived = atomicAdd(args.facts + 15, args.zero);
      }
      if (arrived < met) ++late;
    }
    __syncthreads();
  }
};
