// N trips (an even number) of DEPTH stores of BYTES per lane, each to the next bytes that no block has taken yet. So
// the stores of all SMs form one moving range, even if some SMs are faster than others. The number of the next trip is
// fetched while the stores of this one are issued. Every launch begins at another place. The data hold a power of two
// of trips.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES, trip_bytes = WARPS * DEPTH * row;
  __shared__ u32 slots[2];  // numbers of this trip and the next one
  Window window;
  const u32 slot = shared_address(slots);
  const u64 base = reinterpret_cast<u64>(args.data) + warp() * DEPTH * row + lane() * BYTES;
  const u32 mask = static_cast<u32>(args.data_bytes / trip_bytes) - 1, first = static_cast<u32>(launch_hash(args)) + gridDim.x;
  u32* const taken = args.facts + 14;
  if (threadIdx.x == 0) slots[0] = blockIdx.x - gridDim.x;
  u32 v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(base);
    window.ready(slot);
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      u32 mine, next = 0;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(mine) : "r"(slot + (trip & 1) * 4));
      if (threadIdx.x == 0) next = atomicAdd(taken, 1);
      const u64 p = base + u64{(mine + first) & mask} * trip_bytes;
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global", "l", p + i * row, v);
      if (threadIdx.x == 0) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(slot + (~trip & 1) * 4), "r"(next));
      __syncthreads();
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
