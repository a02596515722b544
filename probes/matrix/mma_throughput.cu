// ILP independent accumulators in each of WARPS warps, as in the inner loop of a matrix product. Every register of D is
// waited for, because ptxas drops parts with unused results if the architecture splits the shape.
#include "probe.cuh"
#include "matrix/mma.cuh"

PROBE {
  Window window;
  MMA_WORD a[NA], b[NB], d[ILP][NC];
  PASSES {
    // Loaded again: values carried from pass to pass would be moved between registers inside the window.
    UNROLL for (int i = 0; i < NA; ++i) a[i] = MmaWord<MMA_WORD>::load(args, i);
    UNROLL for (int i = 0; i < NB; ++i) b[i] = MmaWord<MMA_WORD>::load(args, NA + i);
    UNROLL for (int j = 0; j < ILP; ++j)
      UNROLL for (int i = 0; i < NC; ++i) d[j][i] = MmaWord<MMA_WORD>::load(args, NA + NB + j * NC + i);
    window.ready(a);
    window.ready(b);
    UNROLL for (int j = 0; j < ILP; ++j) window.ready(d[j]);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      UNROLL for (int j = 0; j < ILP; ++j) MMA(d[j], a, b, d[j]);
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(d[j]);
    window.close();
  }
  window.report(args);
}
