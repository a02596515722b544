// movmatrix, each one's source the result of the one before; ILP such chains in each of WARPS warps. Two of them give
// back what was there, so the words of the lanes differ, and no compiler knows them.
#include "probe.cuh"

PROBE {
  Window window;
  u32 d[ILP];
  PASSES {
    UNROLL for (int j = 0; j < ILP; ++j) d[j] = input(args, j);
    window.ready(d);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      UNROLL for (int j = 0; j < ILP; ++j)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(d[j]));
    window.wait(d);
    window.close();
  }
  window.report(args);
}
