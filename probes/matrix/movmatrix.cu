// movmatrix, each source being the previous result; ILP such chains in each of WARPS warps. Two of them restore the
// input, so the words differ between lanes and are unknown to the compiler.
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
