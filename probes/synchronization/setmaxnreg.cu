// One warpgroup releases registers and takes them again, N times: from FROM to TO and back.
#include "probe.cuh"

#undef TEXT
#undef VALUE
#define TEXT(x) #x
#define VALUE(x) TEXT(x)

extern "C" __global__ void __maxnreg__(FROM) KERNEL(const __grid_constant__ Args args) {
  Window window;
  PASSES {
    window.ready(args.zero);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      asm volatile("setmaxnreg.dec.sync.aligned.u32 " VALUE(TO) ";");
      asm volatile("setmaxnreg.inc.sync.aligned.u32 " VALUE(FROM) ";");
    }
    window.close();
  }
  window.report(args);
}
