// N trips of STEPS steps of ILP chains of A and of as many of B in turn, in each of WARPS warps. A loop, because in
// straight code ptxas would have all of the faster kind done before half of the slower.
#include "probe.cuh"
#include "issue/kinds.cuh"
#include "issue/trips.cuh"

// Registers for all the warps that a block can have, where their number is not compiled in. Where it is, for half as
// many again as there are: with the registers that 16 or 32 warps have, ptxas for sm_80 and sm_100a gives some chains one
// of the bank that what all share is in.
#undef MOST_WARPS
#ifdef WARPS
#define MOST_WARPS (WARPS * 3 / 2)
#else
#define MOST_WARPS 32
#endif
extern "C" __global__ void __launch_bounds__(MOST_WARPS * 32) KERNEL(const __grid_constant__ Args args) {
  Window window;
  PASSES {
    // Loaded anew: values carried from pass to pass would be moved between registers inside the window.
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
