// N trips of every block through lines of its own part of the data whose HOME is the half of L2 next to the SM or the
// other one: loads past L1 or stores, BY, of 16 bytes per lane, four lines a warp. Before each pass LINE says which
// halves hold the lines: `held` by their home alone, or `copied` to the near half too.
#include "bandwidth/meet.cuh"
#include "bandwidth/words.cuh"
#include "memory/gather.cuh"
#include "memory/homes.cuh"
#include "probe.cuh"

PROBE {
  __shared__ u32 line_of[LINES];
  Window window;
  const u64 lines = args.data_bytes / gridDim.x / 128;
  char* const part = args.data + lines * 128 * blockIdx.x;
  if (threadIdx.x == 0) {
    // One thread of each SM: the times of lines could not be compared if many waited for each other.
    const Homes homes{args.zero, Homes::between(args, part, static_cast<u32>(lines / 64) * 128)};
    u32 found = 0;
    _Pragma("unroll 1") for (u64 line = 0; line < lines && found < LINES; ++line)
      if (homes.far(part + line * 128) == (HOME_IS_FAR)) line_of[found++] = static_cast<u32>(line);
    if (found < LINES) count_fact(args, 1, 1);
    while (found < LINES) line_of[found++] = 0;
  }
  const u32 late = gather(args, 0, 200000);  // sorting takes tens of milliseconds, and some SMs longer than others
  if (threadIdx.x == 0) count_fact(args, 0, late);
  u32 v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  const u32 mine = shared_address(line_of) + (warp() * 4 + lane() / 8) * 4;
  const u64 words = reinterpret_cast<u64>(part) + lane() % 8 * 16;
  PASSES {
    for (u32 at = threadIdx.x; at < LINES; at += blockDim.x) {
      char* const line = part + u64{line_of[at]} * 128;
#ifdef LINE_held
      const u32 seen = add_nothing(line + 64, args.zero);  // an atomic operation leaves the line in its home alone
#else
      u32 seen;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(seen) : "l"(line) : "memory");
#endif
      window.ready(seen);
    }
    __threadfence();
    window.ready(v);
    window.ready(words);
    window.ready(mine);
    meet(args, pass + 1);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      u32 line;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(line) : "r"(mine + trip * (WARPS * 16)));
#ifdef BY_st
      STORE("st.global", "l", words + u64{line} * 128, v);
#else
      LOAD("ld.global.cg", "l", v, words + u64{line} * 128);
      window.wait(v);  // otherwise ptxas would drop the loads
#endif
    }
#ifdef BY_st
    __threadfence();
#endif
    window.close();
  }
  window.report(args);
}
