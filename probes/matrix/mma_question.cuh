// The questions of mma_numerics: the contents of A, B and C (as bits), and the meaning of an element of D.
#undef ORDER_K
#undef C_FROM

// Fact n becomes the maximum of all values.
__device__ __forceinline__ void highest(const Args& args, u32 n, u32 value) { atomicMax(args.facts + n, value); }

#if defined(QUESTION_bits)
// 2^2TOP + 2^(2TOP - j) - 2^2TOP, j = row + STEP column.
__device__ __forceinline__ u64 question_a(u32 row, u32 k) {
  return k == 1 ? mma_power(TOP - static_cast<int>(row)) : k < 3 ? mma_power(TOP, k == 2) : 0;
}
__device__ __forceinline__ u64 question_b(u32 k, u32 column) {
  return mma_power(k == 1 ? TOP - STEP * static_cast<int>(column) : TOP);
}
__device__ __forceinline__ u64 question_c(u32, u32) { return 0; }
__device__ __forceinline__ void answer(const Args& args, u32 row, u32 column, u64 bits) {
  const u32 j = row + STEP * column;
  if (row >= STEP || j > LAST) return;
  count_fact(args, 1, 1);
  if (bits == acc_power(2 * TOP - static_cast<int>(j))) highest(args, 0, j);
}

#elif defined(QUESTION_c_bits)
// C = 2^2TOP, and products 2^(2TOP - j), j = C_FROM + row + STEP (column / 2): one product in even columns, K in odd
// ones. The eight rows of f64 cover 32 places, and its first 32 places are not asked.
#ifdef AB_f64
#define C_FROM 32
#else
#define C_FROM 0
#endif
__device__ __forceinline__ u64 question_a(u32 row, u32) { return mma_power(TOP - C_FROM - static_cast<int>(row)); }
__device__ __forceinline__ u64 question_b(u32 k, u32 column) {
  return column % 2 == 1 || k == 0 ? mma_power(TOP - STEP * static_cast<int>(column / 2)) : 0;
}
__device__ __forceinline__ u64 question_c(u32, u32) { return acc_power(2 * TOP); }
__device__ __forceinline__ void answer(const Args& args, u32 row, u32 column, u64 bits) {
  const u32 j = C_FROM + row + STEP * (column / 2);
  if (row >= STEP || j > LAST) return;
  count_fact(args, 2, 1);
  if (bits != acc_power(2 * TOP)) highest(args, column % 2, j);
}

#elif defined(QUESTION_order)
// In row q % 16 of column q / 16: 2^2TOP, its negative, and at k = q a number that is lost next to them, unless they
// were subtracted from one another first.
#ifdef FIRST_k0
#define ORDER_K(k) (k)
#else
#define ORDER_K(k) (K - 1 - (k))
#endif
__device__ __forceinline__ u64 question_a(u32 row, u32 k) {
  const u32 at = ORDER_K(k);
  return at < 2 ? mma_power(TOP, at == 1) : at % 16 == row ? mma_power(TOP - LAST / 2) : 0;
}
__device__ __forceinline__ u64 question_b(u32 k, u32 column) {
  const u32 at = ORDER_K(k);
  return at < 2 ? mma_power(TOP) : at / 16 == column ? mma_power(TOP - (LAST + 1) / 2) : 0;
}
__device__ __forceinline__ u64 question_c(u32, u32) { return 0; }
__device__ __forceinline__ void answer(const Args& args, u32 row, u32 column, u64 bits) {
  const u32 at = row + 16 * column;
  if (row >= 16 || at < 2 || at >= K) return;
  count_fact(args, 2, 1);
  if (bits == 0) {
    highest(args, 1, at);
  } else {
    count_fact(args, 0, bits == acc_power(2 * TOP - LAST));
  }
}

#elif defined(QUESTION_rounding)
// Added to 2^2TOP, in units of its last place: 3/4, the same negative, 1/2, and 3/2.
__device__ __forceinline__ u64 question_a(u32 row, u32 k) {
  const bool negative = row == 1;
  if (row > 3) return 0;
  if (k == 0) return mma_power(TOP, negative);
  if (k == 1) return mma_power(TOP - ACC_MANTISSA / 2 - 1, negative);
  if (k == 2 && row < 2) return mma_power(TOP - ACC_MANTISSA / 2 - 2, negative);
  if (k == 3 && row == 3) return mma_power(TOP - ACC_MANTISSA / 2);
  return 0;
}
__device__ __forceinline__ u64 question_b(u32 k, u32) {
  return mma_power(k == 0 ? TOP : TOP - (ACC_MANTISSA - ACC_MANTISSA / 2));
}
__device__ __forceinline__ u64 question_c(u32, u32) { return 0; }
__device__ __forceinline__ void answer(const Args& args, u32 row, u32 column, u64 bits) {
  if (column != 0 || row > 3) return;
  const u64 below = acc_power(2 * TOP, row == 1) + (row == 3 ? 1 : 0);
  count_fact(args, row, bits == below + 1);
  count_fact(args, 4, bits == below || bits == below + 1);
}

#elif defined(QUESTION_denormals)
// Rows: the smallest denormal input times a factor that makes it the smallest normal number; a product that is denormal
// in D; a denormal C without a product.
#ifdef AB_tf32
constexpr int smallest_denormal_places = 10;
#else
constexpr int smallest_denormal_places = MMA_MANTISSA;
#endif
__device__ __forceinline__ u64 question_a(u32 row, u32 k) {
  if (row == 0 && k == 0) return mma_power(1 - MMA_BIAS - smallest_denormal_places);
  if (row == 1 && k == 1) return mma_power(2 - ACC_BIAS);
  return 0;
}
__device__ __forceinline__ u64 question_b(u32 k, u32) { return mma_power(k == 0 ? smallest_denormal_places : -6); }
__device__ __forceinline__ u64 question_c(u32 row, u32) { return row == 2 ? acc_power(-4 - ACC_BIAS) : 0; }
__device__ __forceinline__ void answer(const Args& args, u32 row, u32 column, u64 bits) {
  if (column != 0 || row > 2) return;
  const bool possible = row != 1 || mma_power(2 - ACC_BIAS) != 0;
  fact(args, row, possible ? bits == acc_power(row == 0 ? 1 - MMA_BIAS : -4 - ACC_BIAS) : 2);
}

#elif defined(QUESTION_overflow)
// For integers, rows: the largest C plus one; the smallest minus one; the largest plus one, and later minus one; the
// largest minus one, which shows that products are added at all.
__device__ __forceinline__ u64 question_a(u32 row, u32 k) {
  const u32 one = 1, minus_one = 0xff;
  if (row > 3 || (k > 0 && (row != 2 || k + 1 < K))) return 0;
  return row == 1 || row == 3 || k > 0 ? minus_one : one;
}
__device__ __forceinline__ u64 question_b(u32, u32) { return 1; }
__device__ __forceinline__ u64 question_c(u32 row, u32) { return row == 1 ? 0x80000000u : 0x7fffffffu; }
__device__ __forceinline__ void answer(const Args& args, u32 row, u32 column, u64 bits) {
  if (column != 0 || row > 3) return;
  if (row == 3) return fact(args, 3, bits == 0x7ffffffeu);
  const u32 kept = row == 1 ? 0x80000000u : 0x7fffffffu;
  fact(args, row, bits == kept ? 0 : bits == (row == 1 ? 0x7fffffffu : 0x80000000u) ? 1 : 2);
}

#else
// Rows: a NaN with sign and payload in A; infinity times zero; infinity minus infinity; such a NaN in C; infinity.
template <int mantissa, int sign>
__device__ __forceinline__ u64 special_bits(bool nan, bool negative) {
  return ((u64{1} << (sign - mantissa)) - 1) << mantissa | (nan ? u64{3} << (mantissa - 2) : 0) |
         u64{negative} << sign;
}
__device__ __forceinline__ u64 question_a(u32 row, u32 k) {
#ifdef AB_e4m3
  // This type has no infinities and no payloads.
  const u64 infinity = 0, nan = 0xff;
#else
  const u64 infinity = special_bits<MMA_MANTISSA, MMA_SIGN>(false, k == 2);
  const u64 nan = special_bits<MMA_MANTISSA, MMA_SIGN>(true, true);
#endif
  switch (row) {
    case 0: return k == 0 ? nan : 0;
    case 1: return k == 3 ? infinity : 0;
    case 2: return k == 1 || k == 2 ? infinity : 0;
    case 4: return k == 1 ? infinity : 0;
    default: return 0;
  }
}
__device__ __forceinline__ u64 question_b(u32 k, u32) { return k == 3 ? 0 : mma_power(0); }
__device__ __forceinline__ u64 question_c(u32 row, u32) {
  return row == 3 ? special_bits<ACC_MANTISSA, ACC_SIGN>(true, true) : 0;
}
__device__ __forceinline__ void answer(const Args& args, u32 row, u32 column, u64 bits) {
  if (column != 0 || row > 4) return;
  if (row == 4) {
    fact(args, 4, bits == special_bits<ACC_MANTISSA, ACC_SIGN>(false, false));
  } else {
    fact(args, row, static_cast<u32>(ACC_SIGN == 63 ? bits >> 32 : bits));
  }
}
#endif
