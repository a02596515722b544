// N trips of DEPTH reductions by each lane to args.at lines of 128 bytes, which all SMs share, and a fence that waits for
// the last. A warp takes another place among them each time. Its lanes have adjacent words (LANES whole), or a sector
// each, of different lines if there are enough (LANES scatter). Each launch begins at another line.
#include "probe.cuh"
#include "atomics/atom.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  const u32 lines = static_cast<u32>(args.at);
  constexpr u32 size = WORDS * sizeof(Word);
  const u64 base = reinterpret_cast<u64>(args.data) + (1 + launch_hash(args) % (args.data_bytes / 128 - lines - 1)) * 128;
  const u32 place = lane() / lines % 4 * 32 + lane() / (lines * 4) * 4, line = lane() * (lines / 32 | 1);
  u32 turn = (blockIdx.x * WARPS + warp()) * DEPTH * 0x9e3779b1u;
  Word v[DEPTH][WORDS];
  UNROLL for (int i = 0; i < DEPTH; ++i)
    UNROLL for (int j = 0; j < WORDS; ++j) v[i][j] = input(args, 2 + i + j);
  PASSES {
    UNROLL for (int i = 0; i < DEPTH; ++i) window.ready(v[i]);
    window.ready(base);
    window.ready(place);
    window.ready(line);
    window.ready(turn);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < DEPTH; ++i) {
        turn += 0x9e3779b1u;
        const u32 first = (turn ^ turn >> 15) >> 3;
#ifdef LANES_scatter
        const u32 at = (first + line & lines - 1) * 128 + place;
#else
        const u32 at = (first * 32 + lane()) * size & lines * 128 - 1;
#endif
        RED(base + at, v[i]);
      }
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
