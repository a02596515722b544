// N further clock reads between the two of the window. Each reading is stored completely, like those two, so that ptxas
// uses the same opcode for all.
#include "probe.cuh"

PROBE {
  Window window;
  u64 between[N];
  PASSES {
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("mov.u64 %0, %%clock64;" : "=l"(between[i])::"memory");
    window.close();
  }
  u64* sink = reinterpret_cast<u64*>(args.sink);
  UNROLL for (int i = 0; i < N; ++i) sink[i * 32 + lane()] = between[i];
  window.report(args);
}
