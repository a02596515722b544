// N dependent loads, past L1, by the first SM, of lines that the other SMs wrote in the launch before, different ones
// in each pass. The first pass warms the code and the translation of most pages. Then each of the other SMs reads what
// its neighbour wrote, L2 is swept by stores to the rest of the data, and they write the ring for the next launch.
#include "probe.cuh"
#include "policy/ring.cuh"
#include "policy/handoff.cuh"

// Everything except the chase; gathers keep the two in step.
__device__ __forceinline__ void surround(const Args& args, Window& window, Gather& gather, u32* written, bool before) {
  gather.wait(args);
  gather.wait(args);
  if (before) read_ring(args, window);
#ifdef BY_evict_last  // such lines would survive the sweep
  for (u32 line = sharer(); line < all_lines; line += sharers())
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(args.data + u64{line} * 128) : "memory");
#endif
  gather.wait(args);
  for (char* p = args.data + (128 << 20) + u64{sharer()} * 16; p < reinterpret_cast<char*>(written - 3);
       p += u64{sharers()} * 16)
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(args.zero) : "memory");
  gather.wait(args);
  write_ring(args, all_lines);
  if (sharer() == 0) *written = 1;
}

PROBE {
  Window window;
  Gather gather;
  // The last word of the data shows whether a launch before has written, because it is restored with them. Only the
  // first launch of a batch may find nothing, and it is not recorded.
  u32* const written = reinterpret_cast<u32*>(args.data + args.data_bytes) - 1;
  u32 seen = 0;
  if (threadIdx.x == 0) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(seen) : "l"(written) : "memory");
  const bool before = __syncthreads_or(seen);
  if (blockIdx.x != 0) {
    surround(args, window, gather, written, before);
    if (threadIdx.x == 0) count_fact(args, 0, gather.late);
    window.report(args);
    return;
  }
  if (warp() != 0) return;
  gather.wait(args);
  if (before) {
    u64 p = first_line(args, all_lines);
    PASSES { TIMED_HOPS(p); }
    window.report(args);
  }
  for (int part = 0; part < 3; ++part) gather.wait(args);
  if (threadIdx.x == 0) count_fact(args, 0, gather.late);
}
