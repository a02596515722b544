// N steps of ILP chains, each with an operand from constant memory, or from a register (OPERAND). No constant is used
// twice, and they are STRIDE bytes apart, in a scattered order. With 255 registers and 63 uniform ones, a window of 320
// instructions that holds only OP cannot have had all constants loaded before.
#include "probe.cuh"
#include "memory/constants.cuh"

#undef AT
#undef PTX
#define AT(i) ((i) * 29 % 1021 * STRIDE)
#if defined(OP_ffma)
#define PTX(k) "fma.rn.f32 %0, %0, " k ", %1;"
#elif defined(OP_imad)
#define PTX(k) "mad.lo.u32 %0, %0, " k ", %1;"
#else
#define PTX(k) "prmt.b32 %0, %0, " k ", %1;"
#endif

__device__ __forceinline__ void step(u32& v, u32 k, u32 c, u64 at) {
#ifdef OPERAND_constant
  asm volatile("{ .reg .u64 a; .reg .b32 k; mov.u64 a, constant_middles; add.u64 a, a, %2; ld.const.b32 k, [a]; "
               PTX("k") " }" : "+r"(v) : "r"(c), "l"(at));
#else
  asm volatile(PTX("%2") : "+r"(v) : "r"(c), "r"(k));
#endif
}

PROBE {
  Window window;
  u32 v[ILP];
  PASSES {
    UNROLL for (int j = 0; j < ILP; ++j) v[j] = input(args, j);
    const u32 k = input(args, ILP), c = input(args, ILP + 1);
    window.ready(v);
    window.ready(k);
    window.ready(c);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      UNROLL for (int j = 0; j < ILP; ++j) step(v[j], k, c, AT(i * ILP + j));
    UNROLL for (int j = ILP; j-- > 0;) window.wait(v[j]);
    window.close();
  }
  window.report(args);
}
