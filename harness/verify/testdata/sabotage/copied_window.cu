// The loop over the passes is unrolled, so the kernel holds the window twice.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 b = 1 + args.zero;
  UNROLL for (int pass = 0; pass < 2; ++pass) {
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(v) : "r"(b));
    window.wait(v);
    window.close();
    args.sink[pass * 32 + lane()] = window.opened + window.closed;
  }
  window.report(args);
}
