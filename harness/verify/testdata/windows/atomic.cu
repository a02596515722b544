// A chain of shared atomics through the value that is added.
#include "probe.cuh"

PROBE {
  __shared__ u32 cells[32];
  Window window;
  cells[lane()] = 0;
  __syncwarp();
  const u32 address = shared_address(cells) + lane() * 4;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.ready(address);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(address));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
