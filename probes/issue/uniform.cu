// A chain of N operations on a value that all lanes share, ILP of them, in each of WARPS warps: ptxas gives it a uniform
// register. It comes from constant memory, anew for each pass.
#include "probe.cuh"

#undef STEP
#if defined(OP_uiadd3)
#define STEP "{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; }"
#elif defined(OP_ulop3)
#define STEP "lop3.b32 %0, %0, %1, %2, 0xe8;"
#elif defined(OP_ushf)
#define STEP "shf.l.wrap.b32 %0, %0, %1, %2;"
#elif defined(OP_uprmt)
#define STEP "prmt.b32 %0, %0, %1, %2;"
#else
#define STEP "mad.lo.u32 %0, %0, %1, %2;"
#endif

// The same in all lanes, and not what it was in the pass before.
__device__ __forceinline__ u32 same() {
  u32 v;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(v)::"memory");
  return v;
}

PROBE {
  Window window;
  PASSES {
    u32 v[ILP];
    UNROLL for (int j = 0; j < ILP; ++j) v[j] = same();
    const u32 b = same(), c = same();
    window.ready(v);
    window.ready(b);
    window.ready(c);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      UNROLL for (int j = 0; j < ILP; ++j) asm volatile(STEP : "+r"(v[j]) : "r"(b), "r"(c));
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(v[j]);
    window.close();
  }
  window.report(args);
}
