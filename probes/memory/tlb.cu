// N dependent loads, past L1, of args.at lines: one in each PAGE, a line further from page to page or, `aligned`, at the
// same place of each; or, to compare, one behind the other. One block stores the chain and reads it once in the order of the chase, which brings the lines into
// L2 and leaves the page that the chase begins with the longest unused; then the first warp is alone, all lanes at one
// address. The chase goes on from pass to pass.
#include "probe.cuh"

#undef HOP
#define HOP(p) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p))

PROBE {
  Window window;
  const u64 lines = max(args.at, u64{1});
#if defined(SPREAD_pages)
  constexpr u64 stride = PAGE + 128;
#elif defined(SPREAD_aligned)
  constexpr u64 stride = PAGE;
#else
  constexpr u64 stride = 128;
#endif
  const u64 base = reinterpret_cast<u64>(args.data);
  // From line to line the golden section of all lines, so that neighbours are far apart; odd and no multiple of 3, so
  // that a number of lines with no other prime factors is gone through before the first line comes again.
  u64 step = lines * 1266 / 2048 | 1;
  if (step % 3 == 0) step += 2;
  // Another first line in every launch, which has its own place for clock readings.
  const u64 first = (reinterpret_cast<u64>(args.clocks) / 16 * 0x9e3779b97f4a7c15u >> 24) % lines;
  u64 seen = 0;
  for (u64 k = threadIdx.x; k < lines; k += blockDim.x) {
    const u64 line = (first + k * step) % lines;
    asm volatile("st.global.u64 [%0], %1;" ::"l"(base + line * stride), "l"(base + (line + step) % lines * stride) : "memory");
  }
  __syncthreads();
  for (u64 k = threadIdx.x; k < lines; k += blockDim.x) {
    u64 p = base + (first + k * step) % lines * stride;
    HOP(p);
    seen ^= p;
  }
  __syncthreads();
  if (warp() != 0) return;
  u64 p = base + first * stride + (seen & args.zero);
  PASSES {
    HOP(p);  // untimed: what is carried from pass to pass would be moved between registers inside the window
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) HOP(p);
    window.wait(p);
    window.close();
  }
  window.report(args);
}
