// N dependent loads, past L1, of lines in args.at stretches of PAGE bytes (as many pages, or one more where the data do
// not begin with one): as many in each as make 512 in all, at least one, so that a number is of many lines however few
// pages there are. From one to the next goes another page; in each page the lines are elsewhere or, `aligned`, in the
// same places; or, to compare, all lines are one behind the other. One block stores the chain and reads it once in the
// order of the chase, which brings the lines into L2 and leaves the page that the chase begins with the longest unused;
// then the first warp is alone, all lanes at one address. The chase goes on from pass to pass.
#include "probe.cuh"

#undef HOP
#define HOP(p) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p))

PROBE {
  Window window;
  const u64 pages = max(args.at, u64{1}), each = pages < 512 ? 512 / pages : 1, lines = pages * each;
  const u64 base = reinterpret_cast<u64>(args.data);
  // From line to line the golden section of all lines, so that neighbours are far apart; odd and no multiple of 3, so
  // that a number of lines with no other prime factors is gone through before the first line comes again.
  u64 step = lines * 1266 / 2048 | 1;
  if (step % 3 == 0) step += 2;
  const u64 first = launch_hash(args) % lines;
  const auto address = [&](u64 line) {
#ifdef SPREAD_lines
    return base + line * 128;
#else
    u64 in_page = line / pages * 33;  // of lines; odd, so that no two are the same
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
