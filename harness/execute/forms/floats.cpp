#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "execute/forms/number_format.hpp"
#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

constexpr std::uint32_t float_sign = 0x80000000, float_nan = 0x7fffffff;  // what the hardware writes for any NaN

float number_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// With FTZ, a denormal is a zero with its sign.
float flushed(float number, bool flush) {
  return flush && std::fpclassify(number) == FP_SUBNORMAL ? std::copysign(0.0F, number) : number;
}

std::uint32_t bits_of_float(float number, const CodeStep& step) {
  if (std::isnan(number)) return step.has(Modifier::Saturate) ? 0 : float_nan;
  number = flushed(number, step.has(Modifier::Flush));
  if (step.has(Modifier::Saturate)) number = number > 0 ? std::fmin(number, 1.0F) : 0.0F;
  return std::bit_cast<std::uint32_t>(number);
}

/// What `of` makes of the first `Count` sources, rounded to the nearest.
template <std::size_t Count, class Of>
void each_float(const CodeStep& step, StepSources& in, StepOutputs& out, Of of) {
  std::array<const Words*, Count> sources;
  for (std::size_t k = 0; k < Count; ++k) sources[k] = &in.real(k);
  const bool flush = step.has(Modifier::Flush);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const auto at = [&](std::size_t k) { return flushed(number_of((*sources[k])[i]), flush); };
    if constexpr (Count == 1)
      out.word[0][i] = bits_of_float(of(at(0)), step);
    else if constexpr (Count == 2)
      out.word[0][i] = bits_of_float(of(at(0), at(1)), step);
    else
      out.word[0][i] = bits_of_float(of(at(0), at(1), at(2)), step);
  }
}

/// A product of floats is exact as a double.
float rounded(double exact, const CodeStep& step) {
  if (step.has(Modifier::Flush)) exact = flushed_sum(formats::single, exact, step.rounding);
  return number_of(static_cast<std::uint32_t>(rounded_bits(formats::single, exact, step.rounding)));
}

void add_floats(const CodeStep& step, StepSources& in, StepOutputs& out) {
  if (step.rounding == Rounding::Nearest) return each_float<2>(step, in, out, [](float a, float b) { return a + b; });
  each_float<2>(step, in, out, [&](double a, double b) {
    // The sum of opposite numbers is -0 if it is rounded down.
    if (a == -b && std::isfinite(a) && std::signbit(a) != std::signbit(b))
      return step.rounding == Rounding::Down ? -0.0F : 0.0F;
    return rounded(odd_sum(a, b), step);
  });
}
void multiply_floats(const CodeStep& step, StepSources& in, StepOutputs& out) {
  if (step.rounding == Rounding::Nearest && !step.has(Modifier::Flush))
    return each_float<2>(step, in, out, [](float a, float b) { return a * b; });
  each_float<2>(step, in, out, [&](double a, double b) { return rounded(a * b, step); });
}
void multiply_add_floats(const CodeStep& step, StepSources& in, StepOutputs& out) {
  if (step.rounding == Rounding::Nearest && !step.has(Modifier::Flush))
    return each_float<3>(step, in, out, [](float a, float b, float c) { return std::fma(a, b, c); });
  each_float<3>(step, in, out, [&](double a, double b, double c) {
    const double product = a * b;
    if (product == -c && std::isfinite(c) && std::signbit(product) != std::signbit(c))
      return step.rounding == Rounding::Down ? -0.0F : 0.0F;
    return rounded(odd_sum(product, c), step);
  });
}

/// FMNMX d, a, b, whether the minimum is meant. A number goes before a NaN, but with NAN, and -0 is less than 0.
/// XORSIGN: of the sizes, with the sign of the product.
void extreme_float(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const LaneMask least = in.predicate(0);
  std::size_t lane = 0;
  each_float<2>(step, in, out, [&](float a, float b) {
    const bool minimum = has_lane(least, lane++);
    if (std::isnan(a) || std::isnan(b)) {
      if (step.has(Modifier::Nan)) return std::isnan(a) ? a : b;
      return std::isnan(a) ? b : a;
    }
    const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
    return less == minimum ? a : b;
  });
  if (!step.has(Modifier::XorSign)) return;
  const Words &a = in.raw(0), &b = in.raw(1);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (out.word[0][i] != float_nan) out.word[0][i] = (out.word[0][i] & ~float_sign) | ((a[i] ^ b[i]) & float_sign);
  }
}

template <class Number>
std::uint8_t relation_of(Number a, Number b) {
  return a < b ? relation::less : a > b ? relation::greater : a == b ? relation::equal : relation::unordered;
}

/// FCHK p, a, b: whether a / b needs the long way. It does not while the quotient and all steps to it are far from the
/// ends of the range; when else, is not known.
void check_division(const CodeStep&, StepSources& in, StepOutputs& out) {
  constexpr std::uint32_t exponent = 0xff, bias = 127, far = 60, mantissa_bits = 23;
  const auto plain = [&](std::uint32_t bits) { return (bits >> mantissa_bits & exponent) + far - bias <= 2 * far; };
  const Words &a = in.real(0), &b = in.real(1);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!plain(a[i]) || !plain(b[i])) out.known &= ~(LaneMask{1} << i);
  }
}

/// FSETP d, opposite, a, b, p.
void compare_floats(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.real(0), &b = in.real(1);
  const bool flush = step.has(Modifier::Flush);
  const LaneMask holds = lanes_where([&](std::size_t i) {
    return (relation_of(flushed(number_of(a[i]), flush), flushed(number_of(b[i]), flush)) & step.relation) != 0;
  });
  combine(step, holds, in, out);
}

/// FSET.BF d, a, b, p: 1.0 where it holds.
void set_float(const CodeStep& step, StepSources& in, StepOutputs& out) {
  compare_floats(step, in, out);
  out.word[0] = words_of_lanes([&](std::size_t i) { return has_lane(out.predicate[0], i) ? 0x3f800000U : 0U; });
}

/// MUFU is right within a few units of the last place (CUDA C++ Programming Guide, "Intrinsic Functions"). What is
/// computed with it corrects that, as divisions by integers do, or tests how large a number is.
template <double (*Of)(double)>
void approximate(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_float<1>(step, in, out,
                [](float a) { return flushed(static_cast<float>(Of(static_cast<double>(flushed(a, true)))), true); });
}
double reciprocal(double a) { return 1 / a; }
double reciprocal_root(double a) { return 1 / std::sqrt(a); }
double root(double a) { return std::sqrt(a); }
double power_of_two(double a) { return std::exp2(a); }
double binary_logarithm(double a) { return std::log2(a); }

double double_of(const Words& low, const Words& high, std::size_t i) {
  return std::bit_cast<double>(std::uint64_t{high[i]} << 32 | low[i]);
}

/// MUFU.RCP64H d, a: the upper words of a double and of what is made of it.
template <double (*Of)(double)>
void approximate_upper(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &zeros = same_words(0), &high = in.real(0);
  for (std::size_t i = 0; i < warp_lanes; ++i)
    out.word[0][i] = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(Of(double_of(zeros, high, i))) >> 32);
}

double with_sign(double number, const WordSource& source) {
  if (source.absolute) number = std::abs(number);
  return source.negative ? -number : number;
}

template <std::size_t Count, class Of>
void each_double(StepSources& in, StepOutputs& out, Of of) {
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::array<double, 3> at{};
    std::array<std::uint64_t, 3> raw{};
    for (std::size_t k = 0; k < Count; ++k) {
      raw[k] = std::uint64_t{in.high(k)[i]} << 32 | in.raw(k)[i];
      at[k] = with_sign(std::bit_cast<double>(raw[k]), in.at(k));
    }
    const double made = of(at);
    const std::uint64_t bits =
        std::isnan(made) ? nan_among({raw[1], raw[2], raw[0]}) : std::bit_cast<std::uint64_t>(made);
    out.word[0][i] = static_cast<std::uint32_t>(bits), out.word[1][i] = static_cast<std::uint32_t>(bits >> 32);
  }
}

void add_double(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_double<2>(in, out, [&](const auto& a) { return add_doubles(a[0], a[1], step.rounding); });
}
void multiply_double(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_double<2>(in, out, [&](const auto& a) { return multiply_doubles(a[0], a[1], step.rounding); });
}
void multiply_add_double(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_double<3>(in, out, [&](const auto& a) { return multiply_add_doubles(a[0], a[1], a[2], step.rounding); });
}

void compare_double(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const LaneMask holds = lanes_where([&](std::size_t i) {
    const double a = with_sign(double_of(in.raw(0), in.high(0), i), in.at(0)),
                 b = with_sign(double_of(in.raw(1), in.high(1), i), in.at(1));
    return (relation_of(a, b) & step.relation) != 0;
  });
  combine(step, holds, in, out);
}

constexpr std::string_view float_comparisons = "EQ NE LT LE GT GE EQU NEU LTU LEU GTU GEU NUM NAN F T AND OR XOR FTZ";

}  // namespace

std::span<const SemanticsRow> float_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"FADD", "", "FTZ SAT RM RP RZ", 2, 0, add_floats},
      {"FMUL", "", "FTZ SAT RM RP RZ", 2, 0, multiply_floats},
      {"FFMA", "", "FTZ SAT RM RP RZ", 3, 0, multiply_add_floats},
      {"FMNMX", "", "FTZ NAN XORSIGN", 2, 1, extreme_float},
      {"FCHK", "", "DIVIDE", 2, 0, check_division},
      {"FSETP", "", float_comparisons, 2, 1, compare_floats},
      {"FSET", "BF", float_comparisons, 2, 1, set_float},
      {"MUFU", "RCP", "", 1, 0, approximate<reciprocal>, true},
      {"MUFU", "RSQ", "", 1, 0, approximate<reciprocal_root>, true},
      {"MUFU", "SQRT", "", 1, 0, approximate<root>, true},
      {"MUFU", "EX2", "", 1, 0, approximate<power_of_two>, true},
      {"MUFU", "LG2", "", 1, 0, approximate<binary_logarithm>, true},
      {"MUFU", "RCP64H", "", 1, 0, approximate_upper<reciprocal>, true},
      {"MUFU", "RSQ64H", "", 1, 0, approximate_upper<reciprocal_root>, true},
      {"DADD", "", "RM RP RZ", 2, 0, add_double},
      {"DMUL", "", "RM RP RZ", 2, 0, multiply_double},
      {"DFMA", "", "RM RP RZ", 3, 0, multiply_add_double},
      {"DSETP", "", float_comparisons, 2, 1, compare_double},
  });
  return rows;
}

}  // namespace warpclock
