// A chain of N instructions in each of WARPS warps, each under a predicate that is true (ON is 1) or false, unknown to
// the compiler. One of three sources is an immediate, because with three registers as many warps would wait for the
// register file.
#include "probe.cuh"

#undef GUARDED
#define GUARDED(ptx) "{ .reg .pred p; setp.eq.u32 p, %2, %3; @p " ptx " }"
#undef STEP
#if defined(OP_ffma)
#define STEP GUARDED("fma.rn.f32 %0, %0, 0f3F9E3779, %1;")
#elif defined(OP_imad)
#define STEP GUARDED("mad.lo.u32 %0, %0, 0x9e3779b9, %1;")
#elif defined(OP_prmt)
#define STEP GUARDED("prmt.b32 %0, %0, 0x9e3779b9, %1;")
#elif defined(OP_mufu)
#define STEP GUARDED("ex2.approx.ftz.f32 %0, %0;")
#elif defined(OP_popc)
#define STEP GUARDED("popc.b32 %0, %0;")
#endif

__device__ __forceinline__ void step(u32& v, u32 c, u32 p) {
  asm volatile(STEP : "+r"(v) : "r"(c), "r"(p), "n"(1 - ON));
}

PROBE {
  Window window;
  PASSES {
    u32 v = input(args, 0);
    const u32 c = input(args, 1), p = input(args, 2);  // p is zero, like all the data
    step(v, c, p);  // one instruction ahead; otherwise the predicate would be computed inside the window
    window.ready(v);
    window.ready(c);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) step(v, c, p);
    window.wait(v);
    window.close();
  }
  window.report(args);
}
