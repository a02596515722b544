// Four independent chains of fused multiply-adds.
#include "probe.cuh"

PROBE {
  Window window;
  float v[4], a = __uint_as_float(input(args, 4)), b = __uint_as_float(input(args, 5));
  UNROLL for (int j = 0; j < 4; ++j) v[j] = __uint_as_float(input(args, j));
  PASSES {
    window.ready(v);
    window.ready(a);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      UNROLL for (int j = 0; j < 4; ++j) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v[j]) : "f"(a), "f"(b));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
