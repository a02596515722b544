#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "execute/forms/semantics.hpp"
#include "gpu/job/call.hpp"

namespace warpclock {
namespace {

constexpr unsigned half_bits = 16;

/// Rounded up with RP, toward zero with RZ, else to the nearest.
template <int Toward>
float rounded(double exact) {
  const auto made = static_cast<float>(exact);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (Toward > 0 && made < exact) return std::nextafter(made, infinity);
  if (Toward == 0) return made;
  return Toward < 0 && std::abs(static_cast<double>(made)) > std::abs(exact) ? std::nextafter(made, 0.0F) : made;
}

/// I2F and I2FP: 32 bits are exact as a double.
template <int Toward>
void float_of_integer(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const double exact = step.has(Modifier::Unsigned) ? a[i] : static_cast<double>(static_cast<std::int32_t>(a[i]));
    return std::bit_cast<std::uint32_t>(rounded<Toward>(exact));
  });
}

void double_of_integer(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const double exact = step.has(Modifier::Unsigned) ? a[i] : static_cast<double>(static_cast<std::int32_t>(a[i]));
    const auto bits = std::bit_cast<std::uint64_t>(exact);
    out.word[0][i] = static_cast<std::uint32_t>(bits), out.word[1][i] = static_cast<std::uint32_t>(bits >> 32);
  }
}

/// I2F.U64.RP: rounded up, as the division by 64 bits needs it.
void float_of_long(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &low = in.raw(0), &high = in.high(0);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::uint64_t exact = std::uint64_t{high[i]} << 32 | low[i];
    auto made = static_cast<float>(exact);
    constexpr float most = 0x1p64F;
    if (made < most && static_cast<std::uint64_t>(made) < exact)
      made = std::nextafter(made, std::numeric_limits<float>::infinity());
    return std::bit_cast<std::uint32_t>(made);
  });
}

/// F2I.U64.TRUNC.
void long_of_float(const CodeStep&, StepSources& in, StepOutputs& out) {
  constexpr float most = 0x1p64F;
  const Words& a = in.real(0);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const auto number = std::bit_cast<float>(a[i]);
    const std::uint64_t made = !(number > 0)    ? 0
                               : number >= most ? ~std::uint64_t{0}
                                                : static_cast<std::uint64_t>(number);
    out.word[0][i] = static_cast<std::uint32_t>(made), out.word[1][i] = static_cast<std::uint32_t>(made >> 32);
  }
}

/// Beyond the range of the integers the nearest of them; 0 for NaN.
std::uint32_t integer_of(double number, bool is_unsigned) {
  if (std::isnan(number)) return 0;
  constexpr double most_unsigned = 4294967295.0, most = 2147483647.0, least = -2147483648.0;
  return is_unsigned ? static_cast<std::uint32_t>(std::clamp(number, 0.0, most_unsigned))
                     : static_cast<std::uint32_t>(static_cast<std::int32_t>(std::clamp(number, least, most)));
}

/// F2I of a float of 32 bits. NTZ: a denormal is not taken for zero, which no rounding to an integer shows but those
/// up and down; FTZ takes it for zero.
template <double (*Round)(double)>
void integer_of_float(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words& a = in.real(0);
  const bool flush = step.has(Modifier::Flush);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    float number = std::bit_cast<float>(a[i]);
    if (flush && std::fpclassify(number) == FP_SUBNORMAL) number = 0;
    return integer_of(Round(number), step.has(Modifier::Unsigned));
  });
}
double to_nearest(double number) { return std::nearbyint(number); }
double toward_zero(double number) { return std::trunc(number); }
double down(double number) { return std::floor(number); }
double up(double number) { return std::ceil(number); }

void double_of_float(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words& a = in.real(0);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(a[i])));
    out.word[0][i] = static_cast<std::uint32_t>(bits), out.word[1][i] = static_cast<std::uint32_t>(bits >> 32);
  }
}

/// The value of an IEEE 754 binary16.
double number_of_half(std::uint32_t bits) {
  constexpr std::uint32_t exponents = 0x1f, mantissa = 0x3ff, hidden = 0x400;
  constexpr int mantissa_bits = 10, least = -24, bias = 25;
  const std::uint32_t exponent = bits >> mantissa_bits & exponents, fraction = bits & mantissa;
  double size =
      exponent == 0 ? std::ldexp(fraction, least) : std::ldexp(fraction | hidden, static_cast<int>(exponent) - bias);
  if (exponent == exponents)
    size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000U) != 0 ? -size : size;
}

std::uint32_t half_of_number(double number) {
  return std::isnan(number) ? 0x7fff : static_cast<std::uint32_t>(bits_of(CallType::F16, number));
}

/// One half of a source as a number, with its sign.
double half_at(const WordSource& source, std::uint32_t word, unsigned which) {
  using Half = WordSource::Half;
  if (source.half == Half::Low) which = 0;
  if (source.half == Half::High) which = 1;
  if (source.half == Half::Swapped) which = 1 - which;
  double number = source.half == Half::Whole ? static_cast<double>(std::bit_cast<float>(word))
                                             : number_of_half(word >> half_bits * which);
  if (source.absolute) number = std::abs(number);
  return source.negative ? -number : number;
}

/// What `of` makes of the halves of the first `Count` sources.
template <std::size_t Count, class Of>
void each_half(StepSources& in, StepOutputs& out, Of of) {
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint32_t made = 0;
    for (unsigned which = 0; which < 2; ++which) {
      std::array<double, 3> at{};
      for (std::size_t k = 0; k < Count; ++k) at[k] = half_at(in.at(k), in.raw(k)[i], which);
      made |= half_of_number(of(at)) << half_bits * which;
    }
    out.word[0][i] = made;
  }
}
void add_halves(const CodeStep&, StepSources& in, StepOutputs& out) {
  each_half<2>(in, out, [](const auto& a) { return a[0] + a[1]; });
}
void multiply_halves(const CodeStep&, StepSources& in, StepOutputs& out) {
  each_half<2>(in, out, [](const auto& a) { return a[0] * a[1]; });
}
/// HFMA2.MMA d, -RZ, RZ, high, low is how ptxas writes some constants.
void multiply_add_halves(const CodeStep&, StepSources& in, StepOutputs& out) {
  each_half<3>(in, out, [](const auto& a) { return std::fma(a[0], a[1], a[2]); });
}
/// HADD2.F32 d, a, b: a half to a float.
void float_of_halves(const CodeStep&, StepSources& in, StepOutputs& out) {
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const double sum = half_at(in.at(0), in.raw(0)[i], 0) + half_at(in.at(1), in.raw(1)[i], 0);
    return std::bit_cast<std::uint32_t>(static_cast<float>(sum));
  });
}

/// F2FP.F16.F32.PACK_AB d, high, low.
template <CallType To>
void pack(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &high = in.real(0), &low = in.real(1);
  const auto bits = [](std::uint32_t word) {
    const double number = std::bit_cast<float>(word);
    return std::isnan(number) ? 0x7fffU : static_cast<std::uint32_t>(bits_of(To, number));
  };
  out.word[0] = words_of_lanes([&](std::size_t i) { return bits(high[i]) << half_bits | bits(low[i]); });
}

}  // namespace

std::span<const SemanticsRow> conversion_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"I2F", "F64", "S32 U32", 1, 0, double_of_integer},
      {"I2F", "U64 RP", "", 1, 0, float_of_long},
      {"F2I", "U64 TRUNC", "FTZ", 1, 0, long_of_float},
      {"I2F", "RP", "S32 U32", 1, 0, float_of_integer<1>},
      {"I2F", "RZ", "S32 U32", 1, 0, float_of_integer<-1>},
      {"I2F", "", "S32 U32", 1, 0, float_of_integer<0>},
      {"I2FP", "F32 RZ", "S32 U32", 1, 0, float_of_integer<-1>},
      {"I2FP", "F32", "S32 U32", 1, 0, float_of_integer<0>},
      {"F2I", "TRUNC", "U32 FTZ NTZ", 1, 0, integer_of_float<toward_zero>},
      {"F2I", "FLOOR", "U32 FTZ NTZ", 1, 0, integer_of_float<down>},
      {"F2I", "CEIL", "U32 FTZ NTZ", 1, 0, integer_of_float<up>},
      {"F2I", "", "U32 FTZ NTZ", 1, 0, integer_of_float<to_nearest>},
      {"F2F", "F64 F32", "", 1, 0, double_of_float},
      {"F2FP", "F16 F32 PACK_AB", "", 2, 0, pack<CallType::F16>},
      {"F2FP", "BF16 F32 PACK_AB", "", 2, 0, pack<CallType::Bf16>},
      {"HADD2", "F32", "", 2, 0, float_of_halves},
      {"HADD2", "", "", 2, 0, add_halves},
      {"HMUL2", "", "", 2, 0, multiply_halves},
      {"HFMA2", "", "MMA", 3, 0, multiply_add_halves},
  });
  return rows;
}

}  // namespace warpclock
