// N trips of DEPTH stores of BYTES per lane. Each warp goes round its part of the args.at lines of 128 bytes that an SM
// has, and a fence waits for its last stores. The lines of all SMs follow one another; each launch begins at another.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 row = 32 * BYTES;
  Window window;
  const u32 end = static_cast<u32>(args.at) / WARPS * row;
  const u64 places = args.data_bytes / row - u64{gridDim.x} * WARPS * (end / row);
  const u64 base = reinterpret_cast<u64>(args.data) + launch_hash(args) % places * row +
                   u64{blockIdx.x * WARPS + warp()} * end + lane() * BYTES;
  u32 at = 0;
  u32 v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(base);
    window.ready(at);
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = base + at;
      UNROLL for (int i = 0; i < DEPTH; ++i) STORE("st.global", "l", p + i * row, v);
      at += DEPTH * row;
      if (at >= end) at = 0;
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
