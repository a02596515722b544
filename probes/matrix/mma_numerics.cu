// What one mma.sync adds up, for inputs that are powers of two (or zero), so that every product is exact. Each row of A
// and column of B asks a question. TOP is the exponent of the largest factor, so 2 TOP is that of the largest product.
#include "probe.cuh"
#include "matrix/mma.cuh"
#include "matrix/mma_value.cuh"
#include "matrix/mma_question.cuh"

// The values go through shared memory, because constants and values carried from pass to pass would be moved between
// registers inside the window.
template <int size>
__device__ __forceinline__ void put(volatile MMA_WORD* held, const MMA_WORD (&words)[size], u32 first) {
  UNROLL for (int i = 0; i < size; ++i) held[(first + i) * 32 + lane()] = words[i];
}
template <int size>
__device__ __forceinline__ void get(MMA_WORD (&words)[size], const volatile MMA_WORD* held, u32 first) {
  UNROLL for (int i = 0; i < size; ++i) words[i] = held[(first + i) * 32 + lane()];
}

PROBE {
  __shared__ MMA_WORD held[(NA + NB + NC) * 32];
  Window window;
  MMA_WORD a[NA], b[NB], c[NC];
  const u32 group = lane() / 4, in_group = lane() % 4;
#ifdef AB_f64
  // One element per register: A and C row group + 8 (i odd for A of m16; i / 2 for C), k = in_group + 4 (i / rows).
  constexpr u32 row_blocks = M / 8;
  UNROLL for (u32 i = 0; i < NA; ++i)
    a[i] = __longlong_as_double(question_a(group + 8 * (i % row_blocks), in_group + 4 * (i / row_blocks)));
  UNROLL for (u32 i = 0; i < NB; ++i) b[i] = __longlong_as_double(question_b(in_group + 4 * i, group));
  UNROLL for (u32 i = 0; i < NC; ++i) c[i] = __longlong_as_double(question_c(group + 8 * (i / 2), 2 * in_group + i % 2));
#else
  // P elements per register. A register i covers row group + 8 (i % 2), k from P (in_group + 4 (i / 2)) on.
  constexpr u32 per = 32 / MMA_ELEMENT_BITS;
  UNROLL for (u32 i = 0; i < NA; ++i) {
    a[i] = 0;
    UNROLL for (u32 e = 0; e < per; ++e) {
      const u64 bits = question_a(group + 8 * (i % 2), per * (in_group + 4 * (i / 2)) + e);
      a[i] |= static_cast<u32>(bits) << (MMA_ELEMENT_BITS % 32 * e);
    }
  }
  UNROLL for (u32 i = 0; i < NB; ++i) {
    b[i] = 0;
    UNROLL for (u32 e = 0; e < per; ++e)
      b[i] |= static_cast<u32>(question_b(per * (in_group + 4 * i) + e, group)) << (MMA_ELEMENT_BITS % 32 * e);
  }
  UNROLL for (u32 i = 0; i < NC; ++i) {
#ifdef ACC_f16
    c[i] = question_c(group + 8 * i, 2 * in_group) | question_c(group + 8 * i, 2 * in_group + 1) << 16;
#else
    c[i] = question_c(group + 8 * (i / 2), 2 * in_group + i % 2);
#endif
  }
#endif
  put(held, a, 0);
  put(held, b, NA);
  put(held, c, NA + NB);
  MMA_WORD d[NC];
  PASSES {
    get(a, held, 0);
    get(b, held, NA);
    get(c, held, NA + NB);
    window.ready(a);
    window.ready(b);
    window.ready(c);
    window.open();
    MMA(d, a, b, c);
    window.wait(d);
    window.close();
  }
  UNROLL for (u32 e = 0; e < M * 8 / 32; ++e) {
#if defined(ACC_f16)
    const u64 bits = d[e / 2] >> (16 * (e % 2)) & 0xffff;
#elif defined(ACC_f64)
    const u64 bits = __double_as_longlong(d[e]);
#else
    const u64 bits = d[e];
#endif
    answer(args, group + 8 * (e / 2), 2 * in_group + e % 2, bits);
  }
  window.report(args);
}
