// N trips of every block through lines of its own part of the data whose HOME is the half of L2 next to the SM or the
// other one: loads past L1 or stores, BY, of 16 bytes per lane, four lines a warp. Before each pass LINE says which
// halves hold the lines: `held` by their home alone, or `copied` to the near half too.
#include "bandwidth/meet.cuh"
#include "bandwidth/words.cuh"
#include "memory/homes.cuh"
#include "probe.cuh"

PROBE {
  __shared__ u32 line_of[LINES];
  __shared__ u32 found, limit;
  Window window;
  const u64 lines = args.data_bytes / gridDim.x / 128;
  char* const part = args.data + lines * 128 * blockIdx.x;
  Homes homes{args.zero, 0};
  if (threadIdx.x == 0) found = limit = 0;
  meet(args, 0);
  // Few warps, all SMs at once: the times of lines are compared under the same load.
  constexpr u32 sorters = 4;
  if (warp() < sorters && lane() == 0) atomicAdd(&limit, Homes::between(args, part + warp() * 64 * 128) / sorters);
  __syncthreads();
  homes.limit = limit;
  if (warp() < sorters && lane() == 0) {
    _Pragma("unroll 1") for (u64 line = warp(); line < lines && *const_cast<volatile u32*>(&found) < LINES; line += sorters) {
      if (homes.far(part + line * 128) != (HOME_IS_FAR)) continue;
      const u32 at = atomicAdd(&found, 1);
      if (at < LINES) line_of[at] = static_cast<u32>(line);
    }
  }
  __syncthreads();
  if (found < LINES) {
    if (threadIdx.x == 0) count_fact(args, 1, 1);
    for (u32 at = found + threadIdx.x; at < LINES; at += blockDim.x) line_of[at] = 0;
  }
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
