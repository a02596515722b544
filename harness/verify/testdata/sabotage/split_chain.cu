// Two chains of half the length, where one of the whole is claimed.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v[2] = {input(args, 0), input(args, 1)};
  const u32 b = 1 + args.zero;
  PASSES {
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(v[i % 2]) : "r"(b));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
