// N reads of a special register that may change from read to read, so that ptxas keeps all of them. Each value is
// stored after the window.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v[N];
  PASSES {
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("mov.u32 %0, %%" REG ";" : "=r"(v[i])::"memory");
    window.wait(v[N - 1]);
    window.close();
  }
  UNROLL for (int i = 0; i < N; ++i) args.sink[i * 32 + lane()] = v[i];
  window.report(args);
}
