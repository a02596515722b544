// A chain of N instructions in each of WARPS warps, every one under a predicate that is true (ON is 1) or false and
// that nobody knows before the kernel runs.
#include "probe.cuh"

#undef GUARDED
#define GUARDED(ptx) "{ .reg .pred p; setp.eq.u32 p, %3, %4; @p " ptx " }"
#undef STEP
#if defined(OP_ffma)
#define STEP GUARDED("fma.rn.f32 %0, %0, %1, %2;")
#elif defined(OP_imad)
#define STEP GUARDED("mad.lo.u32 %0, %0, %1, %2;")
#elif defined(OP_prmt)
#define STEP GUARDED("prmt.b32 %0, %0, %1, %2;")
#elif defined(OP_mufu)
#define STEP GUARDED("ex2.approx.ftz.f32 %0, %0;")
#elif defined(OP_popc)
#define STEP GUARDED("popc.b32 %0, %0;")
#endif

__device__ __forceinline__ void step(u32& v, u32 b, u32 c, u32 p) {
  asm volatile(STEP : "+r"(v) : "r"(b), "r"(c), "r"(p), "n"(1 - ON));
}

PROBE {
  Window window;
  PASSES {
    u32 v = input(args, 0);
    const u32 b = input(args, 1), c = input(args, 2), p = input(args, 3);  // p is zero, as all the data
    step(v, b, c, p);  // one ahead, or the predicate would be computed inside the window
    window.ready(v);
    window.ready(b);
    window.ready(c);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) step(v, b, c, p);
    window.wait(v);
    window.close();
  }
  window.report(args);
}
