// N dependent loads, past L1, of lines in args.at ranges of PAGE bytes (as many pages, or one more if the data do not
// begin at a page boundary). There are 512 lines in all, at least one per page, so that a number covers many lines even
// for few pages. Each load goes to another page. In each page the lines are at other offsets or, with `aligned`, at the
// same; or, for comparison, all lines are contiguous. One block stores the chain and reads it once in the order of the
// chase, which brings the lines into L2 and makes the page at which the chase begins the least recently used. Then only
// the first warp runs, with all lanes at one address. The chase continues from pass to pass.
#include "probe.cuh"

#undef HOP
#define HOP(p) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p))

PROBE {
  Window window;
  const u64 pages = max(args.at, u64{1}), each = pages < 512 ? 512 / pages : 1, lines = pages * each;
  const u64 base = reinterpret_cast<u64>(args.data);
  // The step from line to line is the golden section of all lines, so that consecutive lines are far apart. It is odd
  // and not a multiple of 3, so that a number of lines without other prime factors is covered completely before a line
  // repeats.
  u64 step = lines * 1266 / 2048 | 1;
  if (step % 3 == 0) step += 2;
  const u64 first = launch_hash(args) % lines;
  const auto address = [&](u64 line) {
#ifdef SPREAD_lines
    return base + line * 128;
#else
    u64 in_page = line / pages * 33;  // in lines; the factor is odd, so that no two are the same
#ifdef SPREAD_pages
    in_page += line % pages;
#endif
    return base + line % pages * PAGE + in_page * 128 % PAGE;
#endif
  };
  u64 seen = 0;
  for (u64 k = threadIdx.x; k < lines; k += blockDim.x) {
    const u64 line = (first + k * step) % lines;
    asm volatile("st.global.u64 [%0], %1;" ::"l"(address(line)), "l"(address((line + step) % lines)) : "memory");
  }
  __syncthreads();
  for (u64 k = threadIdx.x; k < lines; k += blockDim.x) {
    u64 p = address((first + k * step) % lines);
    HOP(p);
    seen ^= p;
  }
  __syncthreads();
  if (warp() != 0) return;
  u64 p = address(first) + (seen & args.zero);
  PASSES { TIMED_HOPS(p); }
  window.report(args);
}
