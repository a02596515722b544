// N multiply-adds of registers in chosen banks. A probe cannot name registers, but a 16-byte load fills four of them,
// of which the first has a number divisible by four: element i of such a load is in register i modulo 4. The first
// source is element 0; SECOND and THIRD are the elements of the other sources. In the second 64 instructions the first
// source is element 2, in the third 1, and the other sources are changed by the same bits. If the factors and the
// addend were exchanged instead, ptxas would mark some for reuse.
//
// No two of the N have the same three inputs; otherwise ptxas would compute them once. No result is a source again,
// because ptxas would choose its register so that the sources are in two banks. The instructions are nevertheless all
// needed and stay in order, because each overwrites a register of an earlier one under a different predicate. Both
// predicates are true, which the compiler does not know. OPERANDS:
//   apart      no source is one of the previous instruction
//   turned     like apart, but every second instruction exchanges even and odd elements
//   kept       three times of four the second source is that of the previous instruction, and mostly the third is too
//   immediate  the second source is an immediate
//   itself     one register is all three sources and the result, in four such chains
#include "probe.cuh"

#undef RESULTS
#if defined(OPERANDS_itself)
#define RESULTS 4
#else
#define RESULTS 1
#endif

struct Four {
  u32 v[4];
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    const u64 at = reinterpret_cast<u64>(args.data) + u64{i * blockDim.x + threadIdx.x} * 16;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(at));
  }
};

__device__ __forceinline__ void multiply_add(u32& d, u32 a, u32 b, u32 c, u32 p) {
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %4, 0; @p fma.rn.f32 %0, %1, %2, %3; }"
               : "+r"(d)
               : "r"(a), "r"(b), "r"(c), "r"(p));
}

__device__ __forceinline__ void step(u32& d, const Four (&a)[4], const Four (&b)[4], const Four (&c)[4], int i, u32 p) {
#if defined(OPERANDS_itself)
  multiply_add(d, d, d, d, p);
#elif defined(OPERANDS_immediate)
  multiply_add(d, a[i % 4].v[0], __float_as_uint(1.0f + i), c[(i + i / 4) % 4].v[THIRD], p);
#else
#if defined(OPERANDS_kept)
  const int j = i / 4, k = i / 16, odd = 0;
#elif defined(OPERANDS_turned)
  const int j = i + i / 4, k = i + i / 16, odd = i & 1;
#else
  const int j = i + i / 4, k = i + i / 16, odd = 0;
#endif
  static_assert(N <= 192);
  const int first = (i / 64 == 0 ? 0 : i / 64 == 1 ? 2 : 1) ^ odd;
  multiply_add(d, a[i % 4].v[first], b[j % 4].v[SECOND ^ first], c[k % 4].v[THIRD ^ first], p);
#endif
}

PROBE {
  Window window;
  PASSES {
    Four a[4], b[4], c[4];
    UNROLL for (int j = 0; j < 4; ++j) a[j].load(args, j), b[j].load(args, 4 + j), c[j].load(args, 8 + j);
    const u32 p[2] = {input(args, 48), input(args, 49)};  // zero, like all the data
    u32 d[RESULTS];
    UNROLL for (int j = 0; j < RESULTS; ++j) d[j] = input(args, 50 + j);
    // One instruction ahead; otherwise the predicates would be computed inside the window.
    UNROLL for (int i = 0; i < 2; ++i) multiply_add(d[0], a[i].v[3], b[0].v[3], c[0].v[3], p[i]);
    UNROLL for (int j = 0; j < 4; ++j) window.ready(a[j].v), window.ready(b[j].v), window.ready(c[j].v);
    window.ready(d);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) step(d[i % RESULTS], a, b, c, i, p[i / RESULTS & 1]);
    UNROLL for (int j = RESULTS; j-- > 0;) window.wait(d[j]);
    window.close();
  }
  window.report(args);
}
