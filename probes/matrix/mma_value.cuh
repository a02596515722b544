// Powers of two as the bits of an input (mma_power) and of an accumulator (acc_power) of the sweep's types. Values
// below the smallest normal number are denormals, and values below those are zero.
#undef MMA_MANTISSA
#undef MMA_BIAS
#undef MMA_SIGN
#undef ACC_MANTISSA
#undef ACC_BIAS
#undef ACC_SIGN

#if defined(AB_f16)
#define MMA_MANTISSA 10
#define MMA_BIAS 15
#define MMA_SIGN 15
#elif defined(AB_bf16)
#define MMA_MANTISSA 7
#define MMA_BIAS 127
#define MMA_SIGN 15
#elif defined(AB_tf32)
#define MMA_MANTISSA 23
#define MMA_BIAS 127
#define MMA_SIGN 31
#elif defined(AB_e4m3)
#define MMA_MANTISSA 3
#define MMA_BIAS 7
#define MMA_SIGN 7
#elif defined(AB_e5m2)
#define MMA_MANTISSA 2
#define MMA_BIAS 15
#define MMA_SIGN 7
#else
#define MMA_MANTISSA 52
#define MMA_BIAS 1023
#define MMA_SIGN 63
#endif

#if defined(ACC_f16)
#define ACC_MANTISSA 10
#define ACC_BIAS 15
#define ACC_SIGN 15
#elif defined(ACC_f64)
#define ACC_MANTISSA 52
#define ACC_BIAS 1023
#define ACC_SIGN 63
#else
#define ACC_MANTISSA 23
#define ACC_BIAS 127
#define ACC_SIGN 31
#endif

template <int mantissa, int bias, int sign>
__device__ __forceinline__ u64 power_bits(int exponent, bool negative) {
  const int biased = exponent + bias, shift = mantissa - 1 + biased;
  const u64 magnitude = biased > 0 ? static_cast<u64>(biased) << mantissa : shift >= 0 ? u64{1} << shift : 0;
  return magnitude | u64{negative} << sign;
}
__device__ __forceinline__ u64 mma_power(int exponent, bool negative = false) {
  return power_bits<MMA_MANTISSA, MMA_BIAS, MMA_SIGN>(exponent, negative);
}
__device__ __forceinline__ u64 acc_power(int exponent, bool negative = false) {
  return power_bits<ACC_MANTISSA, ACC_BIAS, ACC_SIGN>(exponent, negative);
}
