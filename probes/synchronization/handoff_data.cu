// Four warps hand BYTES of registers of each lane to four others through shared memory, and get them back: store,
// arrive at the others' named barrier, wait at the own one, load. What is loaded is what is stored next.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "synchronization/passes.cuh"

PROBE {
  constexpr u32 width = BYTES < 16 ? BYTES : 16, words = width / 4, turns = BYTES / width, threads = 128;
  __shared__ __align__(128) char places[2][BYTES * threads];
  Window window;
  const u32 side = warp() / 4, at = threadIdx.x % threads * width;
  u32 mine = 1 + side + (input(args, 0) & args.zero);
  const u32 theirs = 2 - side + (input(args, 1) & args.zero);
  const u32 from = shared_address(places[side]) + at + (input(args, 2) & args.zero);
  const u32 to = shared_address(places[1 - side]) + at + (input(args, 4) & args.zero);
  u32 v[turns][words];
  UNROLL for (u32 i = 0; i < turns; ++i) UNROLL for (u32 k = 0; k < words; ++k) v[i][k] = input(args, 5 + i * words + k);
  LANE_PASSES {
    UNROLL for (u32 i = 0; i < turns; ++i) window.ready(v[i]);
    window.ready(from);
    window.ready(to);
    window.ready(theirs);
    if (side == 1) asm volatile("bar.sync %0, 256;" ::"r"(mine) : "memory");
    asm volatile("add.u32 %0, %0, %1;" : "+r"(mine) : "r"(lane_zero));  // waits until the barrier has read it
    window.ready(mine);
    window.ready(args.passes);  // otherwise it is read before the window for what comes after, and the window waits
    window.open();
    UNROLL for (int n = 0; n < N; ++n) {
      UNROLL for (u32 i = 0; i < turns; ++i) STORE("st.shared", "r", to + i * threads * width, v[i]);
      asm volatile("bar.arrive %0, 256;" ::"r"(theirs) : "memory");
      asm volatile("bar.sync %0, 256;" ::"r"(mine) : "memory");
      UNROLL for (u32 i = 0; i < turns; ++i) LOAD("ld.shared", "r", v[i], from + i * threads * width);
    }
    UNROLL for (u32 i = 0; i < turns; ++i) window.wait(v[i]);
    window.close();
    asm volatile("bar.arrive %0, 256;" ::"r"(theirs) : "memory");
    if (side == 0) asm volatile("bar.sync %0, 256;" ::"r"(mine) : "memory");
  }
  if (side == 0) window.report(args);
}
