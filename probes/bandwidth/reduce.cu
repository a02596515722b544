// N trips of DEPTH red.add of BYTES of f32 per lane to global memory, each lane to its own words, and a fence that
// waits for the last ones.
#include "probe.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

#undef RED
#if BYTES == 4
#define RED(p, v) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(v[0]))
#elif BYTES == 8
#define RED(p, v) asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(v[0]), "f"(v[1]))
#else
#define RED(p, v) \
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]))
#endif

PROBE {
  constexpr u32 row = WARPS * 32 * BYTES;
  Window window;
  Sweep sweep(args, threadIdx.x * BYTES, DEPTH * row);
  float v[4];
  UNROLL for (int i = 0; i < 4; ++i) v[i] = __uint_as_float(input(args, i));
  PASSES {
    window.ready(sweep.place());
    window.ready(v);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place();
      UNROLL for (int i = 0; i < DEPTH; ++i) RED(p + i * row, v);
      sweep.next();
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
