// N trips of DEPTH loads of BYTES per lane, each stored back to the same place, and a fence that waits for the last
// stores. Each warp goes round its own contiguous part of the data, as it does in its local memory.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES, trip_bytes = DEPTH * row;
  Window window;
  const u32 warps = gridDim.x * WARPS, trips = static_cast<u32>(args.data_bytes / warps / trip_bytes);
  const u64 base = reinterpret_cast<u64>(args.data) + u64{blockIdx.x * WARPS + warp()} * trips * trip_bytes + lane() * BYTES;
  const u32 end = trips * trip_bytes;
  // Of a part that a launch does not go through, each launch begins with other bytes.
  u32 at = static_cast<u32>(launch_hash(args)) % trips * trip_bytes;
  u32 v[DEPTH][WORDS];
  PASSES {
    window.ready(base);
    window.ready(at);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = base + at;
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.global.cg", "l", v[i], p + i * row);
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global", "l", p + i * row, v[i]);
      at += trip_bytes;
      if (at >= end) at = 0;
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
