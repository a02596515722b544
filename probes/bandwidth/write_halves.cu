// N trips of DEPTH stores of four bytes a lane to global memory: a store fills one half of each of eight sectors, and
// the store APART places later fills their other halves. A fence waits for the last stores.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  constexpr u32 lanes_of_half = 4, sector = 32, sectors = 8, pair = sectors * sector, row = DEPTH / 2 * pair;
  Sweep sweep(args, warp() * row + lane() / lanes_of_half * sector + lane() % lanes_of_half * BYTES, WARPS * row);
  const u32 v[] = {input(args, 0)};
  PASSES {
    window.ready(sweep.place());
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (int i = 0; i < DEPTH; ++i) {
        const int half = i / APART % 2, first = i / (2 * APART) * APART;
        STORE("st.global.wb", "l", p + (first + i % APART) * pair + half * (sector / 2), v);
      }
      sweep.next();
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
