// Two sources arrive 16 bytes at a time, in registers of even number: both are in one bank of the register file.
#include "probe.cuh"

PROBE {
  Window window;
  float v = __uint_as_float(input(args, 0));
  PASSES {
    float four[4];
    asm volatile("ld.volatile.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
                 : "l"(reinterpret_cast<const float*>(args.data) + threadIdx.x * 4));
    window.ready(v);
    window.ready(four);
    window.open();
    UNROLL for (int i = 0; i < N;
                ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(four[0]), "f"(four[2]));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
