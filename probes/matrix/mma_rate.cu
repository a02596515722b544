// N trips of STEPS mma.sync to each of ILP independent accumulators in every warp. This is a loop, because in a window
// as short as straight-line code allows, the order in which the warps of a scheduler begin would matter more than the
// rate.
#include "issue/trips.cuh"
#include "matrix/mma.cuh"
#include "probe.cuh"

PROBE {
  Window window;
  MMA_WORD a[NA], b[NB], d[ILP][NC];
  PASSES {
    // Loaded again: values carried from pass to pass would be moved between registers inside the window.
    UNROLL for (int i = 0; i < NA; ++i) a[i] = MmaWord<MMA_WORD>::load(args, i);
    UNROLL for (int i = 0; i < NB; ++i) b[i] = MmaWord<MMA_WORD>::load(args, NA + i);
    UNROLL for (int j = 0; j < ILP; ++j) UNROLL for (int i = 0; i < NC; ++i) d[j][i] =
        MmaWord<MMA_WORD>::load(args, NA + NB + j * NC + i);
    float left = trips();
    window.ready(a);
    window.ready(b);
    UNROLL for (int j = 0; j < ILP; ++j) window.ready(d[j]);
    window.ready(left);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < STEPS; ++i) UNROLL for (int j = 0; j < ILP; ++j) MMA(d[j], a, b, d[j]);
    }
    while (again(left))
      ;
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(d[j]);
    window.close();
  }
  window.report(args);
}
