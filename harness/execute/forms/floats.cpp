#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

constexpr std::uint32_t float_nan = 0x7fffffff;  // what the hardware writes for any NaN

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

void add_floats(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_float<2>(step, in, out, [](float a, float b) { return a + b; });
}
void multiply_floats(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_float<2>(step, in, out, [](float a, float b) { return a * b; });
}
void multiply_add_floats(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_float<3>(step, in, out, [](float a, float b, float c) { return std::fma(a, b, c); });
}

/// FMNMX d, a, b, whether the minimum is meant. A number goes before a NaN, and -0 is less than 0.
void extreme_float(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const LaneMask least = in.predicate(0);
  std::size_t lane = 0;
  each_float<2>(step, in, out, [&](float a, float b) {
    const bool minimum = has_lane(least, lane++);
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
    return less == minimum ? a : b;
  });
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

/// MUFU.RCP is right within one unit of the last place. Division by integers, which it is for, corrects any such
/// quotient; so its exact value decides nothing there.
void reciprocal(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_float<1>(step, in, out, [](float a) { return flushed(1 / flushed(a, true), true); });
}

double double_of(const Words& low, const Words& high, std::size_t i) {
  return std::bit_cast<double>(std::uint64_t{high[i]} << 32 | low[i]);
}

double with_sign(double number, const WordSource& source) {
  if (source.absolute) number = std::abs(number);
  return source.negative ? -number : number;
}

template <std::size_t Count, class Of>
void each_double(StepSources& in, StepOutputs& out, Of of) {
  constexpr std::uint64_t nan = 0xfff8000000000000;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::array<double, 3> at{};
    for (std::size_t k = 0; k < Count; ++k) at[k] = with_sign(double_of(in.raw(k), in.high(k), i), in.at(k));
    const double made = of(at);
    const std::uint64_t bits = std::isnan(made) ? nan : std::bit_cast<std::uint64_t>(made);
    out.word[0][i] = static_cast<std::uint32_t>(bits), out.word[1][i] = static_cast<std::uint32_t>(bits >> 32);
  }
}

void add_double(const CodeStep&, StepSources& in, StepOutputs& out) {
  each_double<2>(in, out, [](const auto& a) { return a[0] + a[1]; });
}
void multiply_double(const CodeStep&, StepSources& in, StepOutputs& out) {
  each_double<2>(in, out, [](const auto& a) { return a[0] * a[1]; });
}
void multiply_add_double(const CodeStep&, StepSources& in, StepOutputs& out) {
  each_double<3>(in, out, [](const auto& a) { return std::fma(a[0], a[1], a[2]); });
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
      {"FADD", "", "FTZ SAT", 2, 0, add_floats},
      {"FMUL", "", "FTZ SAT", 2, 0, multiply_floats},
      {"FFMA", "", "FTZ SAT", 3, 0, multiply_add_floats},
      {"FMNMX", "", "FTZ", 2, 1, extreme_float},
      {"FCHK", "", "DIVIDE", 2, 0, check_division},
      {"FSETP", "", float_comparisons, 2, 1, compare_floats},
      {"MUFU", "RCP", "", 1, 0, reciprocal},
      {"DADD", "", "", 2, 0, add_double},
      {"DMUL", "", "", 2, 0, multiply_double},
      {"DFMA", "", "", 3, 0, multiply_add_double},
      {"DSETP", "", float_comparisons, 2, 1, compare_double},
  });
  return rows;
}

}  // namespace warpclock
