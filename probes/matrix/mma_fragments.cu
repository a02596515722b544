// Which element of A, B or D does each part of each lane hold? For A and B, a single part is 1 and all others are 0. It
// is in the row (column) of D where a product arrives, and at the k whose bits in the other operand let it arrive. For
// D, the bits of its row and of its column arrive one at a time. The other operands are filled by the formulas of the
// PTX ISA ("Matrix Fragments for mma"). A place is a part, lane by lane; it holds 1 + row * columns + column. Every
// product is 0 or 1, which is exact in every type.
#include "probe.cuh"
#include "matrix/mma.cuh"
#include "matrix/mma_parts.cuh"
#include "synchronization/passes.cuh"

#undef TRIES
#undef CALLED
#if (defined(AB_s4) || defined(AB_u4)) && __CUDA_ARCH__ >= 900
// The product is a subroutine, which a window cannot hold.
#define CALLED
#define TRIES LANE_PASSES
#else
#define TRIES PASSES
#endif

PROBE {
  Window window;
  MMA_WORD a[NA], b[NB], c[NC], d[NC];
  TRIES {
    // Loaded again: values carried from pass to pass would be moved between registers inside the window.
    UNROLL for (int i = 0; i < NA; ++i) a[i] = MmaWord<MMA_WORD>::load(args, i);
    UNROLL for (int i = 0; i < NB; ++i) b[i] = MmaWord<MMA_WORD>::load(args, NA + i);
    UNROLL for (int i = 0; i < NC; ++i) c[i] = MmaWord<MMA_WORD>::load(args, NA + NB + i);
    window.ready(a);
    window.ready(b);
    window.ready(c);
    window.open();
#ifndef CALLED
    MMA(d, a, b, c);
    window.wait(d);
#endif
    window.close();
  }

  const MMA_WORD zero[NC] = {};
  u32 wrong = 0, seen = 0;
  const auto found = [&](u32 part, u32 element, bool right) {
    args.places[part] = 1 + element;
    wrong += !right;
    ++seen;
  };
#if defined(FRAGMENT_c)
  u32 element[D_PARTS] = {};
  _Pragma("unroll 1") for (u32 bit = 0; bit < 3; ++bit) {
    fill_a(a, [](u32, u32 k) { return k == 0; });
    fill_b(b, [=](u32 k, u32 column) { return k == 0 && (column >> bit & 1); });
    MMA(d, a, b, zero);
    UNROLL for (u32 i = 0; i < D_PARTS; ++i) element[i] |= static_cast<u32>(is_one(d, i)) << bit;
  }
  _Pragma("unroll 1") for (u32 bit = 0; 1 << bit < M; ++bit) {
    fill_a(a, [=](u32 row, u32 k) { return k == 0 && (row >> bit & 1); });
    fill_b(b, [](u32 k, u32) { return k == 0; });
    MMA(d, a, b, zero);
    UNROLL for (u32 i = 0; i < D_PARTS; ++i) element[i] |= static_cast<u32>(is_one(d, i)) << (3 + bit);
  }
  UNROLL for (u32 i = 0; i < D_PARTS; ++i)
    found(lane() * D_PARTS + i, element[i], element[i] == row_of_d(i) * 8 + column_of_d(i));
  const u32 rows = M, columns = 8, packed = 32 / MMA_ACC_BITS + (MMA_ACC_BITS == 64);
#else
  constexpr u32 bits = K == 4 ? 2 : K == 8 ? 3 : K == 16 ? 4 : K == 32 ? 5 : K == 64 ? 6 : K == 128 ? 7 : 8;
#if defined(FRAGMENT_a)
  constexpr u32 parts = A_PARTS, rows = M, columns = K;
  MMA_WORD other[bits + 1][NB];
  UNROLL for (u32 bit = 0; bit < bits; ++bit) fill_b(other[bit], [=](u32 k, u32) { return k >> bit & 1; });
  fill_b(other[bits], [](u32, u32) { return true; });
#else
  constexpr u32 parts = B_PARTS, rows = K, columns = 8;
  MMA_WORD other[bits + 1][NA];
  UNROLL for (u32 bit = 0; bit < bits; ++bit) fill_a(other[bit], [=](u32, u32 k) { return k >> bit & 1; });
  fill_a(other[bits], [](u32, u32) { return true; });
#endif
  const u32 packed = PACKED;
  _Pragma("unroll 1") for (u32 part = 0; part < 32 * parts; ++part) {
    const u32 owner = part / parts, own = part % parts;
    u32 k[D_PARTS] = {};
#if defined(FRAGMENT_a)
    one_part(a, lane() == owner, own);
#else
    one_part(b, lane() == owner, own);
#endif
    UNROLL for (u32 bit = 0; bit <= bits; ++bit) {
#if defined(FRAGMENT_a)
      MMA(d, a, other[bit], zero);
#else
      MMA(d, other[bit], b, zero);
#endif
      if (bit < bits) UNROLL for (u32 i = 0; i < D_PARTS; ++i) k[i] |= static_cast<u32>(is_one(d, i)) << bit;
    }
    UNROLL for (u32 i = 0; i < D_PARTS; ++i) {
      if (!is_one(d, i)) continue;
#if defined(FRAGMENT_a)
      found(part, row_of_d(i) * K + k[i], row_of_d(i) == row_of_a(owner, own) && k[i] == k_of_a(owner, own));
#else
      found(part, k[i] * 8 + column_of_d(i), column_of_d(i) == column_of_b(owner) && k[i] == k_of_b(owner, own));
#endif
    }
  }
#endif
  count_fact(args, 0, wrong);
  count_fact(args, 1, seen);
  fact(args, 2, rows);
  fact(args, 3, columns);
  fact(args, 4, packed);
  window.report(args);
}
