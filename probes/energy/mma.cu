// N mma.sync by each warp in a trip, to two accumulators. The factors stay the same; those of other warps differ.
#include "energy/paced.cuh"
#include "matrix/mma.cuh"

PROBE {
  MMA_WORD a[NA], b[NB], d[2][NC];
  UNROLL for (int i = 0; i < NA; ++i) a[i] = MmaWord<MMA_WORD>::load(args, i);
  UNROLL for (int i = 0; i < NB; ++i) b[i] = MmaWord<MMA_WORD>::load(args, NA + i);
  UNROLL for (int j = 0; j < 2; ++j)
    UNROLL for (int i = 0; i < NC; ++i) d[j][i] = MmaWord<MMA_WORD>::load(args, NA + NB + j * NC + i);
  paced(
      args, [&](Window& window) { window.ready(a), window.ready(b), window.ready(d[0]), window.ready(d[1]); },
      [&] { UNROLL for (int i = 0; i < N; ++i) MMA(d[i % 2], a, b, d[i % 2]); },
      [&](Window& window, u32 pace) { window.wait(d[0]), window.wait(d[1]), window.wait(pace); });
}
