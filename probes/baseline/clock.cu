// N further clock reads between the two that time them. Each is stored whole, like the two of the window, so that ptxas
// gives all of them the same opcode.
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
