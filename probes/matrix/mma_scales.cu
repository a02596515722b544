// Which scale factor does each byte of each lane hold? All elements of A and B in one block of K are 1 and the others 0,
// and all factors are 1 but one byte of one lane, which is 2: the row (column) of D that doubles is the one it scales. A
// place is a byte, lane by lane; it holds 1 + row * blocks + block, for B 1 + block * 8 + column.
#include "probe.cuh"
#include "matrix/mma.cuh"

#undef SCALED_MMA
#define SCALED_MMA(d, a, b, c, of_a, of_b)                                                                          \
  asm volatile(MMA_OP "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}" MMA_SCALES ";"           \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), \
                 "r"(c[3]), "r"(of_a), "r"(of_b))

PROBE {
  Window window;
  u32 a[4], b[2], c[4], d[4];
  PASSES {
    UNROLL for (int i = 0; i < 4; ++i) a[i] = input(args, i);
    UNROLL for (int i = 0; i < 2; ++i) b[i] = input(args, 4 + i);
    UNROLL for (int i = 0; i < 4; ++i) c[i] = input(args, 6 + i);
    const u32 of_a = input(args, 10), of_b = input(args, 11);
    window.ready(a);
    window.ready(b);
    window.ready(c);
    window.ready(of_a);
    window.ready(of_b);
    window.open();
    SCALED_MMA(d, a, b, c, of_a, of_b);
    window.wait(d);
    window.close();
  }
  // 1 and 2 as factors and 1 as an element (PTX ISA, "Alternate floating-point data formats").
#ifdef FACTOR_ue4m3
  constexpr u32 one = 0x38, two = 0x40;
#else
  constexpr u32 one = 0x7f, two = 0x80;
#endif
  constexpr u32 element = K == 64 ? 0x22222222 : 0x38383838, width = K / BLOCKS, each = K / 8;  // elements of a register
  const u32 zero[4] = {}, ones = one * 0x01010101;
  u32 seen = 0;
  _Pragma("unroll 1") for (u32 block = 0; block < BLOCKS; ++block) {
    // A register holds elements of K that begin at `each` times its place in the row; the second half is in the others.
    const auto value = [&](u32 half) { return (lane() % 4 * each + half * K / 2) / width == block ? element : 0; };
    a[0] = a[1] = b[0] = value(0), a[2] = a[3] = b[1] = value(1);
    SCALED_MMA(d, a, b, zero, ones, ones);
    const u32 before[4] = {d[0], d[1], d[2], d[3]};
    _Pragma("unroll 1") for (u32 part = 0; part < 128; ++part) {
      const u32 mine = lane() == part / 4 ? ones + (two - one << 8 * (part % 4)) : ones;
#ifdef OF_a
      SCALED_MMA(d, a, b, zero, mine, ones);
      const u32 low = __ballot_sync(~0u, d[0] != before[0]), high = __ballot_sync(~0u, d[2] != before[2]);
      const u32 place = low ? __ffs(low) / 4 : high ? 8 + __ffs(high) / 4 : ~0u, number = place * BLOCKS + block;
#else
      SCALED_MMA(d, a, b, zero, ones, mine);
      const u32 even = __ballot_sync(~0u, d[0] != before[0]), odd = __ballot_sync(~0u, d[1] != before[1]);
      const u32 place = even ? (__ffs(even) - 1) % 4 * 2 : odd ? (__ffs(odd) - 1) % 4 * 2 + 1 : ~0u;
      const u32 number = block * 8 + place;
#endif
      if (place == ~0u || lane() != 0) continue;
      args.places[part] = 1 + number;
      ++seen;
    }
  }
  if (lane() == 0) {
    fact(args, 0, seen);
#ifdef OF_a
    fact(args, 1, 16), fact(args, 2, BLOCKS);
#else
    fact(args, 1, BLOCKS), fact(args, 2, 8);
#endif
    fact(args, 3, 4);
  }
  window.report(args);
}
