// Trips of DEPTH accesses BY ld (past L1) or st of BYTES per lane, each to the next bytes that no block has taken yet,
// until all blocks together have made N trips a block. So the accesses of all SMs form one moving range, and all blocks
// end together, even if some SMs are faster than others: the time of a block is the time of all. The number of the next
// trip is fetched while the accesses of this one are issued. Every launch begins at another place. The data hold a power
// of two of trips.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES, trip_bytes = WARPS * DEPTH * row;
  __shared__ __align__(8) u32 slots[2];  // numbers of this trip and the next one
  Window window;
  const u32 slot = shared_address(slots), trips = N * gridDim.x;
  const u64 base = reinterpret_cast<u64>(args.data) + warp() * DEPTH * row + lane() * BYTES;
  const u32 mask = static_cast<u32>(args.data_bytes / trip_bytes) - 1, first = static_cast<u32>(launch_hash(args));
  u32* const taken = args.facts + 14;
#ifdef BY_st
  u32 v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
#else
  u32 v[DEPTH][WORDS];
#endif
  PASSES {
    // Each block takes one number more than it has trips.
    const u32 begin = pass * (trips + gridDim.x);
    __syncthreads();
    // Exchanged, because a store could still be reading its register when the window opens.
    if (threadIdx.x == 0) window.ready(atomicExch(&slots[0], atomicAdd(taken, 1) - begin));
    window.ready(base);
    window.ready(slot);
    window.ready(first);
    window.ready(begin);
    window.ready(reinterpret_cast<u64>(taken));
#ifdef BY_st
    window.ready(v);
#endif
    meet(args, pass);
    window.open();
    u32 at = slot;
    _Pragma("unroll 1") for (;;) {
      u32 mine, next = 0;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(mine) : "r"(at));
      if (mine >= trips) break;
      if (threadIdx.x == 0) next = atomicAdd(taken, 1) - begin;
      const u64 p = base + u64{(mine + first) & mask} * trip_bytes;
#ifdef BY_st
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global", "l", p + i * row, v);
#else
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.global.cg", "l", v[i], p + i * row);
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // otherwise ptxas would drop the loads
#endif
      at ^= 4;
      if (threadIdx.x == 0) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(next));
      __syncthreads();
    }
#ifdef BY_st
    __threadfence();
#endif
    window.close();
  }
  window.report(args);
}
