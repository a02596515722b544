// N trips of STEPS mma.sync to each of ILP independent accumulators in every warp, as in the inner loop of a matrix
// product. A loop, because in a window as short as straight-line code allows, the order in which the warps of a scheduler
// begin would matter more than the rate. Each trip begins with a barrier: warps that drift apart lose up to 40 % of the
// rate from three warps on a sub-partition, however short the loop is. Every register of D is waited for, because ptxas
// drops parts with unused results if the architecture splits the shape.
#include "issue/trips.cuh"
#include "matrix/mma.cuh"
#include "probe.cuh"
#include "clocked.cuh"

PROBE {
  Window window;
  ClockedWindow clocked;
  MMA_WORD a[NA], b[NB], d[ILP][NC];
  PASSES {
    // Loaded again: values carried from pass to pass would be moved between registers inside the window.
    UNROLL for (int i = 0; i < NA; ++i) a[i] = MmaWord<MMA_WORD>::load(args, i);
    UNROLL for (int i = 0; i < NB; ++i) b[i] = MmaWord<MMA_WORD>::load(args, NA + i);
    UNROLL for (int j = 0; j < ILP; ++j)
      UNROLL for (int i = 0; i < NC; ++i) d[j][i] = MmaWord<MMA_WORD>::load(args, NA + NB + j * NC + i);
    float left = trips();
    window.ready(a);
    window.ready(b);
    UNROLL for (int j = 0; j < ILP; ++j) window.ready(d[j]);
    window.ready(left);
    __syncthreads();
    clocked.before(window, 0);
    window.open();
    bool more;
    _Pragma("unroll 1") do {
      __syncthreads();
      more = again(left);  // before the work, which hides it
      UNROLL for (int i = 0; i < STEPS; ++i)
        UNROLL for (int j = 0; j < ILP; ++j) MMA(d[j], a, b, d[j]);
    } while (more);
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(d[j]);
    window.close();
    clocked.after();
  }
  window.report(args);
  clocked.report(args, window);
}
