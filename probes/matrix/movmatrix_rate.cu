// N trips of STEPS movmatrix in each of ILP chains in every warp, each source being the previous result. Each trip begins
// with a barrier, which keeps the warps in step.
#include "issue/trips.cuh"
#include "probe.cuh"

PROBE {
  Window window;
  u32 d[ILP];
  PASSES {
    UNROLL for (int j = 0; j < ILP; ++j) d[j] = input(args, j);
    float left = trips();
    window.ready(d);
    window.ready(left);
    __syncthreads();
    window.open();
    bool more;
    _Pragma("unroll 1") do {
      __syncthreads();
      more = again(left);
      UNROLL for (int i = 0; i < STEPS; ++i)
        UNROLL for (int j = 0; j < ILP; ++j)
          asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(d[j]));
    } while (more);
    window.wait(d);
    window.close();
  }
  window.report(args);
}
