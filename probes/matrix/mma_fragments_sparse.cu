// Which stored element of A does each part of each lane hold, and which bits of the metadata give its k? Of four
// elements in a row of A two are stored, with two bits each; of two tf32 elements one is stored, with four bits. The
// metadata initially put each stored element c at k = 2 c + 1.
//
// For A, a single part is 1 and all others are 0, as in mma_fragments. For the metadata, all of A is 1, and B is 0
// wherever the metadata point. Only the bits of one place are changed to k = 2 c, where B has the bits of c, one at a
// time. There are as many sparsity selectors as matrices in the metadata of 32 lanes; the elements of each are numbered
// after those of the previous one. B is filled, and D read, by the formulas of the PTX ISA ("Matrix Fragments for
// sparse mma").
#include "probe.cuh"
#include "matrix/mma.cuh"
#include "matrix/mma_parts.cuh"

#undef SPARSE_OP
#undef MMA_SPARSE
#undef STORED
#undef META_BITS
#undef META_LATER
#undef META_CHANGE
#undef META_PARTS
#undef SELECTORS
#define SPARSE_OP                                                                                                    \
  "mma.sp::ordered_metadata.sync.aligned.m" MMA_STR(M) "n8k" MMA_STR(K) ".row.col." ACC "." AB "." AB "." ACC " "
#if NA == 8
#define MMA_SPARSE(d, a, b, c, e, f)                                                                           \
  asm volatile(SPARSE_OP                                                                                       \
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, %16, %17;"       \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),       \
                 "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(e), "n"(f))
#else
#define MMA_SPARSE(d, a, b, c, e, f)                                                                           \
  asm volatile(SPARSE_OP "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11}, %12, %13;"                 \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(e), \
                 "n"(f))
#endif

#define STORED (K / 2)
#ifdef AB_tf32
#define META_BITS 4
#define META_LATER 0xeeeeeeeeu
#define META_CHANGE 0xau  // 0b1110 to 0b0100
#else
#define META_BITS 2
#define META_LATER 0xddddddddu  // the second and the fourth of four elements
#define META_CHANGE 1u
#endif
#define META_PARTS (32 / META_BITS)
#define SELECTORS (32 * META_PARTS / (M * STORED))

// Calls `found` with the row and k of each non-zero element of D in this lane: the bits of k come from the products of
// `a` with the bits of c and with all.
template <u32 selector, u32 bits, class Found>
__device__ __forceinline__ void find(const u32 (&a)[NA / 2], const u32 (&other)[bits + 1][NB], u32 meta, Found found) {
  const u32 zero[NC] = {};
  u32 d[NC], c[D_PARTS] = {};
  UNROLL for (u32 bit = 0; bit <= bits; ++bit) {
    MMA_SPARSE(d, a, other[bit], zero, meta, selector);
    if (bit < bits) UNROLL for (u32 i = 0; i < D_PARTS; ++i) c[i] |= static_cast<u32>(is_one(d, i)) << bit;
  }
  // All columns of B are equal.
  UNROLL for (u32 i = 0; i < D_PARTS; ++i)
    if (is_one(d, i) && column_of_d(i) == 0) found(row_of_d(i), c[i]);
}

template <u32 selector, u32 bits>
__device__ __forceinline__ void find_metadata(const Args& args, u32* times, u32& seen, const u32 (&other)[bits + 1][NB]) {
  u32 a[NA / 2];
  UNROLL for (u32 i = 0; i < NA / 2; ++i) a[i] = word_of([](u32) { return true; });
  _Pragma("unroll 1") for (u32 place = 0; place < 32 * META_PARTS; ++place) {
    const u32 changed = lane() == place / META_PARTS ? META_CHANGE << (META_BITS * (place % META_PARTS)) : 0;
    find<selector, bits>(a, other, META_LATER ^ changed, [&](u32 row, u32 c) {
      const u32 element = (selector * M + row) * STORED + c;
      args.places[place] = 1 + element;
      atomicAdd(times + element, 1);
      ++seen;
    });
  }
  if constexpr (selector + 1 < SELECTORS) find_metadata<selector + 1, bits>(args, times, seen, other);
}

PROBE {
  __shared__ u32 times[32 * META_PARTS];
  Window window;
  u32 a[NA / 2], b[NB], c[NC], d[NC];
  PASSES {
    // Loaded again: values carried from pass to pass would be moved between registers inside the window.
    UNROLL for (int i = 0; i < NA / 2; ++i) a[i] = input(args, i);
    UNROLL for (int i = 0; i < NB; ++i) b[i] = input(args, NA + i);
    UNROLL for (int i = 0; i < NC; ++i) c[i] = input(args, NA + NB + i);
    const u32 meta = META_LATER ^ (input(args, NA + NB + NC) & args.zero);
    window.ready(a);
    window.ready(b);
    window.ready(c);
    window.ready(meta);
    window.open();
    MMA_SPARSE(d, a, b, c, meta, 0);
    window.wait(d);
    window.close();
  }

  constexpr u32 bits = STORED == 4 ? 2 : STORED == 8 ? 3 : STORED == 16 ? 4 : 5;
  u32 wrong = 0, seen = 0, other[bits + 1][NB];
#if defined(FRAGMENT_a)
  constexpr u32 later = 1;
#else
  constexpr u32 later = 0;
#endif
  UNROLL for (u32 bit = 0; bit < bits; ++bit)
    fill_b(other[bit], [=](u32 k, u32) { return k % 2 == later && (k / 2 >> bit & 1); });
  fill_b(other[bits], [=](u32 k, u32) { return k % 2 == later; });
#if defined(FRAGMENT_a)
  _Pragma("unroll 1") for (u32 part = 0; part < 16 * A_PARTS; ++part) {
    const u32 owner = part / (A_PARTS / 2), own = part % (A_PARTS / 2);
    one_part(a, lane() == owner, own);
    find<0, bits>(a, other, META_LATER, [&](u32 row, u32 stored) {
      args.places[part] = 1 + row * STORED + stored;
      wrong += row != row_of_a(owner, own) || stored != k_of_a(owner, own);
      ++seen;
    });
  }
  fact(args, 4, PACKED);
#else
  for (u32 i = lane(); i < 32 * META_PARTS; i += 32) times[i] = 0;
  __syncwarp();
  find_metadata<0, bits>(args, times, seen, other);
  __syncwarp();
  for (u32 i = lane(); i < SELECTORS * M * STORED; i += 32) wrong += times[i] != 1;
  fact(args, 4, META_PARTS);
#endif
  count_fact(args, 0, wrong);
  count_fact(args, 1, seen);
  fact(args, 2, M);
  fact(args, 3, STORED);
  window.report(args);
}
