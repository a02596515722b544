// Does lane l hold the elements given by the PTX ISA ("Matrix Fragments for mma")? Fragments are filled with small
// integers by the documented formulas, and D is compared with a scalar product of the same matrices.
#include "probe.cuh"
#include "matrix/mma.cuh"

// Small enough for s8, exact in every type, different along rows and columns.
__device__ __forceinline__ int mma_a(u32 row, u32 k) { return static_cast<int>((row * 3 + k * 5) % 7) - 3; }
__device__ __forceinline__ int mma_b(u32 k, u32 column) { return static_cast<int>((k * 2 + column * 3) % 5) - 2; }
__device__ __forceinline__ int mma_c(u32 row, u32 column) { return static_cast<int>((row + column * 2) % 9) - 4; }

// The bits of a small integer in a type of the sweep. Integers up to 256 are exact in all of them.
__device__ __forceinline__ u32 f16_bits(int v) {
  u16 h;
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(h) : "r"(v));
  return h;
}
__device__ __forceinline__ u32 bf16_bits(int v) { return __float_as_uint(static_cast<float>(v)) >> 16; }
__device__ __forceinline__ int f16_value(u32 bits) {
  int v;
  asm("cvt.rni.s32.f16 %0, %1;" : "=r"(v) : "h"(static_cast<u16>(bits)));
  return v;
}

#undef MMA_BITS_OF
#if defined(AB_f16)
#define MMA_BITS_OF(v) f16_bits(v)
#elif defined(AB_bf16)
#define MMA_BITS_OF(v) bf16_bits(v)
#elif defined(AB_tf32)
#define MMA_BITS_OF(v) __float_as_uint(static_cast<float>(v))
#elif defined(AB_s8)
#define MMA_BITS_OF(v) (static_cast<u32>(v) & 0xff)
#endif

PROBE {
  Window window;
  MMA_WORD a[NA], b[NB], c[NC], d[NC];
  const u32 group = lane() / 4, in_group = lane() % 4;
#ifdef AB_f64
  // One element per register: A and C row group + 8 (i odd for A of m16; i / 2 for C), k = in_group + 4 (i / rows).
  constexpr u32 row_blocks = M / 8;
  UNROLL for (u32 i = 0; i < NA; ++i) a[i] = mma_a(group + 8 * (i % row_blocks), in_group + 4 * (i / row_blocks));
  UNROLL for (u32 i = 0; i < NB; ++i) b[i] = mma_b(in_group + 4 * i, group);
  UNROLL for (u32 i = 0; i < NC; ++i) c[i] = mma_c(group + 8 * (i / 2), 2 * in_group + i % 2);
#else
  // P elements per register. A register i covers row group + 8 (i % 2), k from P (in_group + 4 (i / 2)) on.
  constexpr u32 per = 32 / MMA_ELEMENT_BITS;
  UNROLL for (u32 i = 0; i < NA; ++i) {
    a[i] = 0;
    UNROLL for (u32 e = 0; e < per; ++e)
      a[i] |= MMA_BITS_OF(mma_a(group + 8 * (i % 2), per * (in_group + 4 * (i / 2)) + e)) << (MMA_ELEMENT_BITS % 32 * e);
  }
  UNROLL for (u32 i = 0; i < NB; ++i) {
    b[i] = 0;
    UNROLL for (u32 e = 0; e < per; ++e)
      b[i] |= MMA_BITS_OF(mma_b(per * (in_group + 4 * i) + e, group)) << (MMA_ELEMENT_BITS % 32 * e);
  }
  UNROLL for (u32 i = 0; i < NC; ++i) {
#if defined(ACC_f16)
    c[i] = f16_bits(mma_c(group + 8 * i, 2 * in_group)) | f16_bits(mma_c(group + 8 * i, 2 * in_group + 1)) << 16;
#elif defined(ACC_s32)
    c[i] = mma_c(group + 8 * (i / 2), 2 * in_group + i % 2);
#else
    c[i] = __float_as_uint(static_cast<float>(mma_c(group + 8 * (i / 2), 2 * in_group + i % 2)));
#endif
  }
#endif
  PASSES {
    window.ready(a);
    window.ready(b);
    window.ready(c);
    window.open();
    MMA(d, a, b, c);
    window.wait(d);
    window.close();
  }
  u32 wrong = 0;
  UNROLL for (u32 e = 0; e < M * 8 / 32; ++e) {
    const u32 row = group + 8 * (e / 2), column = 2 * in_group + e % 2;
    int expected = mma_c(row, column);
    for (u32 k = 0; k < K; ++k) expected += mma_a(row, k) * mma_b(k, column);
#if defined(ACC_f16)
    const int got = f16_value(d[e / 2] >> (16 * (e % 2)));
#elif defined(ACC_s32)
    const int got = static_cast<int>(d[e]);
#elif defined(ACC_f64)
    const int got = static_cast<int>(d[e]);
#else
    const int got = static_cast<int>(__uint_as_float(d[e]));
#endif
    wrong += got != expected;
  }
  count_fact(args, 0, wrong);
  count_fact(args, 1, M * 8 / 32);
  window.report(args);
}
