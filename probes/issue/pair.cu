// N trips of STEPS alternating steps of ILP chains of A and as many of B, in each of WARPS warps. This is a loop,
// because in straight-line code ptxas would finish all of the faster kind before half of the slower.
#include "probe.cuh"
#include "issue/kinds.cuh"
#include "issue/trips.cuh"

// Limits the registers so that all the warps of a block fit if their number is not compiled in, else one and a half
// times as many. With only the registers that 16 or 32 warps have, ptxas gives some chains a register in the bank of
// the shared one (sm_80 and sm_100a).
#undef MOST_WARPS
#ifdef WARPS
#define MOST_WARPS (WARPS * 3 / 2)
#else
#define MOST_WARPS 32
#endif
extern "C" __global__ void __launch_bounds__(MOST_WARPS * 32) KERNEL(const __grid_constant__ Args args) {
  Window window;
  PASSES {
    // Loaded again: values carried from pass to pass would be moved between registers inside the window.
    kinds::Shared shared;
    KIND(A) a[ILP];
    KIND(B) b[ILP];
    shared.load(args);
    UNROLL for (int j = 0; j < ILP; ++j) a[j].load(args, j * 4), b[j].load(args, (ILP + j) * 4);
    float left = trips();
    shared.ready(window);
    UNROLL for (int j = 0; j < ILP; ++j) a[j].ready(window), b[j].ready(window);
    window.ready(left);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < STEPS; ++i)
        UNROLL for (int j = 0; j < ILP; ++j) a[j].step(shared), b[j].step(shared);
    } while (again(left));
    UNROLL for (int j = 0; j < ILP; ++j) a[j].wait(window), b[j].wait(window);
    window.close();
  }
  window.report(args);
}
