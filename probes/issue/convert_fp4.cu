// N conversions of each of ILP values of every warp: two f32 to two floats of 4 bits (TO e2m1), or those to two f16 (TO
// f16). The pair of 4 bits is a byte, which is widened to a register.
#include "probe.cuh"

#undef CONVERT
#ifdef TO_e2m1
#define CONVERT(v)                                                                                                  \
  asm volatile("{ .reg .b8 pair; cvt.rn.satfinite.e2m1x2.f32 pair, %0, %1; cvt.u32.u8 %0, pair; }" : "+r"(v) : "r"(other))
#else
#define CONVERT(v) \
  asm volatile("{ .reg .b8 pair; cvt.u8.u32 pair, %0; cvt.rn.f16x2.e2m1x2 %0, pair; }" : "+r"(v) : "r"(other))
#endif

PROBE {
  Window window;
  u32 v[ILP];
  const u32 other = input(args, ILP);
  UNROLL for (int i = 0; i < ILP; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(v);
    window.ready(other);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) UNROLL for (int j = 0; j < ILP; ++j) CONVERT(v[j]);
    window.wait(v);
    window.close();
  }
  window.report(args);
}
