// N stores of 16 bytes per lane by the whole GPU; then, by the sweep's THEN, nothing or a discard of all lines that
// they wrote; then 256 MiB of other data are read, so that L2 must evict what it still has to write back.
#include "probe.cuh"
#include "policy/ring.cuh"

PROBE {
  Window window;
  Gather gather;
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const u32 v[4] = {input(args, 0), input(args, 1), input(args, 2), input(args, 3)};
  constexpr u32 row = 256 * 16;  // of a block, whose rows are contiguous
  // Includes a value from memory; otherwise ptxas would compute it again inside the window.
  char* const mine = args.data + u64{blockIdx.x} * N * row + threadIdx.x * 16 + (v[0] & args.zero);
  PASSES {
    window.ready(v);
    window.ready(reinterpret_cast<u64>(mine));
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                   ::"l"(mine + i * row), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]));
    window.close();
    gather.wait(args);
  }
#ifdef THEN_discard
  const u32 lines = threads / 8 * N;
  for (u32 line = thread; line < lines; line += threads)
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(args.data + u64{line} * 128) : "memory");
  gather.wait(args);
#endif
  for (u64 at = u64{thread} * 16; at < 256u << 20; at += u64{threads} * 16) {
    u32 v[4];
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(args.data + (128 << 20) + at));
    window.ready(v);  // all of it: ptxas would load only the part that is used
  }
  if (threadIdx.x == 0) count_fact(args, 0, gather.late);
  window.report(args);
}
