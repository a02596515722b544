// N multiply-adds of registers in chosen banks. A probe cannot name registers, but what is loaded 16 bytes at a time
// arrives in four of them, the first of which has a number that is divisible by four: element i of such a load is in
// register i modulo 4. The first source is element 0; SECOND and THIRD are the elements that the others are. In the
// second 64 it is element 2, in the third 1, and the others are changed by the same bits: with the factors and the
// addend in other places instead, ptxas marks some for reuse.
//
// No two of the N are the same three numbers, or ptxas would compute them once. No result is a source again, because
// ptxas would choose its register so that the sources are in two banks. All are needed and stay in order all the same,
// because each is written to one register under another predicate than the one before; both are true, which nobody
// knows before the kernel runs. OPERANDS:
//   apart      none is that of the instruction before
//   turned     the same, every second time with all elements changed from even to odd and from odd to even
//   kept       the second is that of the instruction before, three times of four, and the third mostly
//   immediate  the second is an immediate
//   itself     one register is all three, and the result: four such chains
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
    const u32 p[2] = {input(args, 48), input(args, 49)};  // zero, as all the data
    u32 d[RESULTS];
    UNROLL for (int j = 0; j < RESULTS; ++j) d[j] = input(args, 50 + j);
    // One ahead, or the predicates would be computed inside the window.
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
