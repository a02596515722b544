// N trips of DEPTH reductions by each lane to args.at lines of 128 bytes, which all SMs share, and a fence that waits
// for the last. Each time a warp takes other words among them: adjacent ones (LANES whole), or a random one for each
// lane (LANES scatter), some of which may meet. Each launch has other lines. They are aligned to their size, as arrays
// often are; else they would be spread less evenly over the slices of L2.
#include "probe.cuh"
#include "atomics/atom.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  const u32 lines = static_cast<u32>(args.at);
  constexpr u32 size = WORDS * sizeof(Word), step = 0x9e3779b1;
  const u64 places = args.data_bytes / 128 / lines, first_place = 1 + launch_hash(args) % (places - 1);
  const u64 base = reinterpret_cast<u64>(args.data) + first_place * lines * 128;
#ifdef LANES_scatter
  const u32 place = 0;
  u32 turn = (blockIdx.x * WARPS * 32 + threadIdx.x) * DEPTH * step;
#else
  const u32 place = lane() * size;
  u32 turn = (blockIdx.x * WARPS + warp()) * DEPTH * step;
#endif
  Word v[DEPTH][WORDS];
  UNROLL for (int i = 0; i < DEPTH; ++i)
    UNROLL for (int j = 0; j < WORDS; ++j) v[i][j] = input(args, 2 + i + j);
  PASSES {
    UNROLL for (int i = 0; i < DEPTH; ++i) window.ready(v[i]);
    window.ready(base);
    window.ready(turn);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < DEPTH; ++i) {
        turn += step;
        const u32 hash = (turn ^ turn >> 15) * 0x85ebca6b;
#ifdef LANES_scatter
        const u32 first = (hash ^ hash >> 13) * size;
#else
        const u32 first = (hash ^ hash >> 13) * size * 32;
#endif
        RED(base + (first + place & lines * 128 - 1), v[i]);
      }
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
