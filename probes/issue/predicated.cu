// N trips of STEPS steps of ILP chains, every instruction under a predicate that is true (ON is 1) or false and that nobody knows
// before the kernel runs.
#include "probe.cuh"
#include "issue/trips.cuh"

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
#elif defined(OP_lds)
#define STEP GUARDED("ld.shared.u32 %0, [%0];")
#elif defined(OP_shfl)
#define STEP GUARDED("shfl.sync.bfly.b32 %0, %0, %1, 0x1f, 0xffffffff;")
#endif

PROBE {
  Window window;
  u32 v[ILP];
  PASSES {
    UNROLL for (int j = 0; j < ILP; ++j) {
#ifdef OP_lds
      __shared__ u32 own[ILP * 32];
      v[j] = shared_address(own + j * 32 + lane());
      asm volatile("st.shared.u32 [%0], %0;" ::"r"(v[j]) : "memory");
      asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(v[j])::"memory");
#else
      v[j] = input(args, j);
#endif
    }
    const u32 b = input(args, ILP), c = input(args, ILP + 1), p = input(args, ILP + 2);  // zero, as all the data
    window.ready(v);
    window.ready(b);
    window.ready(c);
    u32 is_on;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; selp.u32 %0, 1, 2, p; }" : "=r"(is_on) : "r"(p), "n"(1 - ON));
    float left = trips();
    window.ready(is_on);
    window.ready(left);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < STEPS; ++i)
        UNROLL for (int j = 0; j < ILP; ++j) asm volatile(STEP : "+r"(v[j]) : "r"(b), "r"(c), "r"(p), "n"(1 - ON));
    } while (again(left));
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(v[j]);
    window.close();
  }
  window.report(args);
}
