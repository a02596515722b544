// N warp sums, each over the previous result: five shfl.down and five adds. IMPL names the implementation.
#include "probe.cuh"

#undef STEP
#ifdef IMPL_ptx
#define STEP(distance)                                                                           \
  {                                                                                              \
    float other;                                                                                 \
    asm volatile("shfl.sync.down.b32 %0, %1, " #distance ", 31, 0xffffffff;" : "=f"(other) : "f"(v)); \
    asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(other));                               \
  }
#else
#define STEP(distance) v += __shfl_down_sync(0xffffffff, v, distance);
#endif

PROBE {
  Window window;
  float v = __uint_as_float(input(args, 0));
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      STEP(16) STEP(8) STEP(4) STEP(2) STEP(1)
    }
    window.wait(v);
    window.close();
  }
  window.report(args);
}
