// A chain of loads, each of the address of the next.
#include "probe.cuh"

PROBE {
  Window window;
  u64 p = reinterpret_cast<u64>(args.data) + lane() * 8;
  PASSES {
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
    window.wait(p);
    window.close();
  }
  window.report(args);
}
