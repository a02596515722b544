#include <array>
#include <cmath>
#include <cstdint>

#include "execute/forms/number_format.hpp"
#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

constexpr unsigned half_bits = 16;
constexpr std::uint32_t half_mask = 0xffff, half_sign = 0x8000;

const NumberFormat& format_of(const CodeStep& step) {
  return step.has(Modifier::Bfloat) ? formats::bfloat : formats::half;
}

/// The smallest number that is no denormal, of binary16.
constexpr double least_half = 0x1p-14;

double flushed(const CodeStep& step, double number) {
  return step.has(Modifier::Flush) && std::abs(number) < least_half ? std::copysign(0.0, number) : number;
}

/// One half of a source as a number, with its sign.
double half_at(const CodeStep& step, const WordSource& source, std::uint32_t word, unsigned which) {
  using Half = WordSource::Half;
  if (source.half == Half::Low) which = 0;
  if (source.half == Half::High) which = 1;
  if (source.half == Half::Swapped) which = 1 - which;
  double number = source.half == Half::Whole ? number_of(formats::single, word)
                                             : number_of(format_of(step), word >> half_bits * which & half_mask);
  number = flushed(step, number);
  if (source.absolute) number = std::abs(number);
  return source.negative ? -number : number;
}

/// What is left of a result: SAT clamps it to 0 and 1, RELU makes negative ones 0.
std::uint32_t half_of(const CodeStep& step, double number) {
  if (step.has(Modifier::Saturate)) number = number > 0 ? std::fmin(number, 1.0) : 0.0;
  if (step.has(Modifier::Relu) && std::signbit(number) && !std::isnan(number)) number = 0;
  if (step.has(Modifier::Flush)) number = flushed_sum(format_of(step), number, Rounding::Nearest);
  return static_cast<std::uint32_t>(rounded_bits(format_of(step), number, Rounding::Nearest));
}

/// What `of` makes of the halves of the first `Count` sources.
template <std::size_t Count, class Of>
void each_half(const CodeStep& step, StepSources& in, StepOutputs& out, Of of) {
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint32_t made = 0;
    for (unsigned which = 0; which < 2; ++which) {
      std::array<double, 3> at{};
      for (std::size_t k = 0; k < Count; ++k) at[k] = half_at(step, in.at(k), in.raw(k)[i], which);
      made |= half_of(step, of(at)) << half_bits * which;
    }
    out.word[0][i] = made;
  }
}
void add_halves(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_half<2>(step, in, out, [](const auto& a) { return odd_sum(a[0], a[1]); });
}
void multiply_halves(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_half<2>(step, in, out, [](const auto& a) { return a[0] * a[1]; });
}
/// HFMA2.MMA d, -RZ, RZ, high, low is how ptxas writes some constants.
void multiply_add_halves(const CodeStep& step, StepSources& in, StepOutputs& out) {
  each_half<3>(step, in, out, [](const auto& a) { return odd_sum(a[0] * a[1], a[2]); });
}
/// HADD2.F32 d, a, b: a half to a float.
void float_of_halves(const CodeStep& step, StepSources& in, StepOutputs& out) {
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const double sum = half_at(step, in.at(0), in.raw(0)[i], 0) + half_at(step, in.at(1), in.raw(1)[i], 0);
    return static_cast<std::uint32_t>(rounded_bits(formats::single, sum, Rounding::Nearest));
  });
}

std::uint8_t relation_of(double a, double b) {
  return a < b ? relation::less : a > b ? relation::greater : a == b ? relation::equal : relation::unordered;
}

bool related(const CodeStep& step, StepSources& in, std::size_t lane, unsigned which) {
  const double a = half_at(step, in.at(0), in.raw(0)[lane], which), b = half_at(step, in.at(1), in.raw(1)[lane], which);
  return (relation_of(a, b) & step.relation) != 0;
}

/// HSETP2 p, q, a, b, r: of the lower halves and of the upper ones.
void compare_halves(const CodeStep& step, StepSources& in, StepOutputs& out) {
  std::array<LaneMask, 2> made{};
  for (unsigned which = 0; which < 2; ++which) {
    combine(step, lanes_where([&](std::size_t i) { return related(step, in, i, which); }), in, out);
    made[which] = out.predicate[0];
  }
  out.predicate[0] = made[0], out.predicate[1] = made[1];
}

/// HSET2 d, a, b, r: all ones or, with BF, 1.0 in each half where it holds.
void set_halves(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const std::uint32_t one = !step.has(Modifier::BooleanFloat) ? half_mask
                            : step.has(Modifier::Bfloat)      ? 0x3f80
                                                              : 0x3c00;
  out.word[0] = same_words(0);
  for (unsigned which = 0; which < 2; ++which) {
    combine(step, lanes_where([&](std::size_t i) { return related(step, in, i, which); }), in, out);
    for (std::size_t i = 0; i < warp_lanes; ++i)
      if (has_lane(out.predicate[0], i)) out.word[0][i] |= one << half_bits * which;
  }
}

/// The lesser or the larger one. A number goes before a NaN, but with NAN; -0 is less than 0.
double extreme_of(const CodeStep& step, double a, double b, bool least) {
  if (std::isnan(a) || std::isnan(b)) {
    if (step.has(Modifier::Nan)) return std::isnan(a) ? a : b;
    return std::isnan(a) ? b : a;
  }
  const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return less == least ? a : b;
}

/// HMNMX2 d, a, b, whether the minimum is meant. XORSIGN: of the sizes, with the sign of the product.
void extreme_halves(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const LaneMask least = in.predicate(0);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint32_t made = 0;
    for (unsigned which = 0; which < 2; ++which) {
      const double a = half_at(step, in.at(0), in.raw(0)[i], which), b = half_at(step, in.at(1), in.raw(1)[i], which);
      std::uint32_t bits = half_of(step, extreme_of(step, a, b, has_lane(least, i)));
      if (step.has(Modifier::XorSign) && bits != half_mask >> 1U) {
        const auto sign = [&](std::size_t k) {
          const auto half = in.at(k).half == WordSource::Half::Low    ? 0U
                            : in.at(k).half == WordSource::Half::High ? 1U
                                                                      : which;
          return in.raw(k)[i] >> half_bits * half & half_sign;
        };
        bits = (bits & ~half_sign) | (sign(0) ^ sign(1));
      }
      made |= bits << half_bits * which;
    }
    out.word[0][i] = made;
  }
}

/// VHMNMX d, a, b, c: of three.
void extreme_of_three(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const LaneMask least = in.predicate(0);
  std::size_t calls = 0;
  each_half<3>(step, in, out, [&](const auto& a) {
    const bool minimum = has_lane(least, calls++ / 2);
    return extreme_of(step, extreme_of(step, a[0], a[1], minimum), a[2], minimum);
  });
}

constexpr std::string_view comparisons = "EQ NE LT LE GT GE EQU NEU LTU LEU GTU GEU NUM NAN F T AND OR XOR FTZ BF16_V2";

}  // namespace

std::span<const SemanticsRow> half_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"HADD2", "F32", "", 2, 0, float_of_halves},
      {"HADD2", "", "FTZ SAT BF16_V2", 2, 0, add_halves},
      {"HMUL2", "", "FTZ SAT BF16_V2", 2, 0, multiply_halves},
      {"HFMA2", "", "MMA FTZ SAT RELU BF16_V2", 3, 0, multiply_add_halves},
      {"HSETP2", "", comparisons, 2, 1, compare_halves},
      {"HSET2", "BF", comparisons, 2, 1, set_halves},
      {"HSET2", "", comparisons, 2, 1, set_halves},
      {"HMNMX2", "", "FTZ NAN XORSIGN BF16_V2", 2, 1, extreme_halves},
      {"VHMNMX", "", "FTZ NAN BF16_V2", 3, 1, extreme_of_three},
  });
  return rows;
}

}  // namespace warpclock
