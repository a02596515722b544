#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

constexpr unsigned word_bits = 32;
constexpr std::uint64_t low_word = 0xffffffff;

std::int64_t as_signed(std::uint32_t number) { return static_cast<std::int32_t>(number); }
std::uint32_t low_of(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

/// A source as it is added: a negated register is ~a + 1 in 33 bits, so that -0 carries.
Words inverted_if(const WordSource& source, const Words& raw) {
  return source.negative || source.inverted ? words_of_lanes([&](std::size_t i) { return ~raw[i]; }) : raw;
}

/// IADD3 d, carry, carry, a, b, c and IADD3.X, which adds two carries.
void add_three(const CodeStep& step, StepSources& in, StepOutputs& out) {
  std::array<Words, 3> term;
  std::uint64_t ones = 0;
  for (std::size_t k = 0; k < term.size(); ++k) {
    term[k] = inverted_if(in.at(k), in.raw(k));
    ones += in.at(k).negative ? 1 : 0;
  }
  const bool carries = step.has(Modifier::X);
  const LaneMask first = carries ? in.predicate(0) : 0,
                 second = carries && step.predicates.size() > 1 ? in.predicate(1) : 0;
  std::array<std::uint32_t, warp_lanes> over;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const std::uint64_t sum =
        std::uint64_t{term[0][i]} + term[1][i] + term[2][i] + ones + (first >> i & 1U) + (second >> i & 1U);
    out.word[0][i] = low_of(sum);
    over[i] = low_of(sum >> word_bits);
  }
  if (step.results.size() < 2) return;
  out.predicate[0] = lanes_where([&](std::size_t i) { return over[i] >= 1; });
  out.predicate[1] = lanes_where([&](std::size_t i) { return over[i] >= 2; });
}

/// IADD3 without carries, VIADD.
void add(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1);
  if (in.count() == 2) {
    for (std::size_t i = 0; i < warp_lanes; ++i) out.word[0][i] = a[i] + b[i];
    return;
  }
  const Words& c = in.word(2);
  for (std::size_t i = 0; i < warp_lanes; ++i) out.word[0][i] = a[i] + b[i] + c[i];
}

void add_or_carry(const CodeStep& step, StepSources& in, StepOutputs& out) {
  return step.results.size() > 1 ? add_three(step, in, out) : add(step, in, out);
}

/// UIADD3.64 d, a, b, c.
void add_wide(const CodeStep&, StepSources& in, StepOutputs& out) {
  std::array<std::uint64_t, warp_lanes> sum{};
  for (std::size_t k = 0; k < std::min<std::size_t>(in.count(), 3); ++k) {
    const Words &low = in.raw(k), &high = in.high(k);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      const std::uint64_t term = std::uint64_t{high[i]} << word_bits | low[i];
      sum[i] += in.at(k).negative ? 0 - term : term;
    }
  }
  for (std::size_t i = 0; i < warp_lanes; ++i) out.word[0][i] = low_of(sum[i]), out.word[1][i] = low_of(sum[i] >> 32);
}

/// IMAD d, a, b, c. IMAD.MOV, IMAD.SHL and IMAD.IADD say what it is used for.
void multiply_add(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1), &c = in.word(2);
  for (std::size_t i = 0; i < warp_lanes; ++i) out.word[0][i] = a[i] * b[i] + c[i];
}

/// IMAD.MOV d, RZ, RZ, c.
void multiply_move(const CodeStep&, StepSources& in, StepOutputs& out) { out.word[0] = in.word(2); }

/// IMAD.X d, a, b, c, carry.
void multiply_add_carry(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1), &c = in.word(2);
  const LaneMask carry = in.predicate(0);
  for (std::size_t i = 0; i < warp_lanes; ++i) out.word[0][i] = a[i] * b[i] + c[i] + (carry >> i & 1U);
}

/// IMAD.WIDE d, carry, a, b, c and IMAD.HI: the 64 bits of c are added to the product.
template <class Use>
void multiply_wide(const CodeStep& step, StepSources& in, StepOutputs& out, Use use) {
  std::array<std::uint32_t, warp_lanes> over;
  const Words &a = in.word(0), &b = in.word(1), &low = in.raw(2), &high = in.high(2);
  const bool negative = in.at(2).negative, is_unsigned = step.has(Modifier::Unsigned);
  const LaneMask carry = step.has(Modifier::X) ? in.predicate(0) : 0;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const std::uint64_t product =
        is_unsigned ? std::uint64_t{a[i]} * b[i] : static_cast<std::uint64_t>(as_signed(a[i]) * as_signed(b[i]));
    const std::uint64_t add = (std::uint64_t{high[i]} << word_bits | low[i]) + (carry >> i & 1U);
    const std::uint64_t sum = negative ? product - add : product + add;
    over[i] = sum < product ? 1 : 0;
    use(i, sum);
  }
  if (step.results.size() > 1) out.predicate[0] = lanes_where([&](std::size_t i) { return over[i] != 0; });
}

void multiply_add_wide(const CodeStep& step, StepSources& in, StepOutputs& out) {
  multiply_wide(step, in, out, [&](std::size_t i, std::uint64_t sum) {
    out.word[0][i] = low_of(sum), out.word[1][i] = low_of(sum >> word_bits);
  });
}

void multiply_add_high(const CodeStep& step, StepSources& in, StepOutputs& out) {
  multiply_wide(step, in, out, [&](std::size_t i, std::uint64_t sum) { out.word[0][i] = low_of(sum >> word_bits); });
}

/// LEA d, carry, a, b, shift: (a << shift) + b. LEA.HI d, carry, a, b, c, shift takes the upper word of c:a << shift,
/// of the sign-extended a with SX32; .X adds a carry.
void scaled_add(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const std::size_t last = in.count() - 1;
  const bool high = step.has(Modifier::High), extended = step.has(Modifier::SignExtended);
  const Words &a = in.word(0), &c = in.raw(last > 2 ? 2 : 0), &shifts = in.raw(last);
  const Words b = inverted_if(in.at(1), in.raw(1));
  const std::uint64_t one = in.at(1).negative ? 1 : 0;
  const LaneMask carry = step.has(Modifier::X) && !step.predicates.empty() ? in.predicate(0) : 0;
  std::array<std::uint32_t, warp_lanes> over;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint64_t wide = extended ? static_cast<std::uint64_t>(as_signed(a[i])) : a[i];
    if (high && !extended && last > 2) wide |= std::uint64_t{c[i]} << word_bits;
    wide <<= shifts[i] % word_bits;
    const std::uint64_t sum = ((high ? wide >> word_bits : wide) & low_word) + b[i] + one + (carry >> i & 1U);
    out.word[0][i] = low_of(sum);
    over[i] = low_of(sum >> word_bits);
  }
  if (step.results.size() > 1) out.predicate[0] = lanes_where([&](std::size_t i) { return over[i] != 0; });
}

void absolute(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  out.word[0] = words_of_lanes([&](std::size_t i) { return as_signed(a[i]) < 0 ? 0 - a[i] : a[i]; });
}

/// IMNMX and VIMNMX d, a, b, whether the minimum is meant.
void extreme(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1);
  const LaneMask least = in.predicate(0);
  const bool is_unsigned = step.has(Modifier::Unsigned);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const bool less = is_unsigned ? a[i] < b[i] : as_signed(a[i]) < as_signed(b[i]);
    return less == has_lane(least, i) ? a[i] : b[i];
  });
}

/// VIADDMNMX d, a, b, c, whether the minimum of a + b and c is meant.
void add_extreme(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1), &c = in.word(2);
  const LaneMask least = in.predicate(0);
  const bool is_unsigned = step.has(Modifier::Unsigned);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::uint32_t sum = a[i] + b[i];
    const bool less = is_unsigned ? sum < c[i] : as_signed(sum) < as_signed(c[i]);
    return less == has_lane(least, i) ? sum : c[i];
  });
}

/// ISETP d, opposite, a, b, p. ISETP.EX compares the upper words: where they are equal, the last predicate decides,
/// which has the result of the lower ones.
void compare(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const bool extended = step.has(Modifier::Ex);
  if (extended && step.predicates.size() < 2) return void(out.known = 0);
  const Words &a = in.word(0), &b = in.word(1);
  const bool is_unsigned = step.has(Modifier::Unsigned);
  const LaneMask less = is_unsigned ? lanes_where([&](std::size_t i) { return a[i] < b[i]; })
                                    : lanes_where([&](std::size_t i) { return as_signed(a[i]) < as_signed(b[i]); });
  const LaneMask equal = lanes_where([&](std::size_t i) { return a[i] == b[i]; });
  const auto of = [&](std::uint8_t which) { return (step.relation & which) != 0 ? all_lanes : 0; };
  LaneMask holds = 0;
  if (!extended) {
    holds = (less & of(relation::less)) | (equal & of(relation::equal)) | (~less & ~equal & of(relation::greater));
  } else if (step.relation == relation::equal) {
    holds = equal & in.predicate(1);
  } else {
    holds = (less & of(relation::less)) | (~less & ~equal & of(relation::greater)) | (equal & in.predicate(1));
  }
  combine(step, holds, in, out);
}

std::uint64_t pair_of(const Words& low, const Words& high, std::size_t i) {
  return std::uint64_t{high[i]} << word_bits | low[i];
}

/// SHF d, low, shift, high: a word of high:low, shifted. Shifts are clamped unless they wrap.
void funnel_shift(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &low = in.word(0), &shifts = in.raw(1), &high = in.word(2);
  const bool wide = step.has(Modifier::Bits64), wraps = step.has(Modifier::Wrap);
  const unsigned most = wide ? 64 : word_bits, modulus = wide ? 64 : word_bits;
  const bool is_signed = step.has(Modifier::Signed), upper = step.has(Modifier::High);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const unsigned by = wraps ? shifts[i] % modulus : std::min(shifts[i], most);
    const std::uint64_t both = pair_of(low, high, i), all = is_signed && (both >> 63U) != 0 ? ~std::uint64_t{0} : 0;
    if (step.has(Modifier::Left))
      out.word[0][i] = upper ? (by > 63 ? 0 : low_of(both << by >> word_bits)) : by >= word_bits ? 0 : low[i] << by;
    else if (!upper)
      out.word[0][i] = low_of(by > 63 ? all : both >> by | (by > 0 ? all << (64 - by) : 0));
    else if (is_signed)
      out.word[0][i] = low_of(static_cast<std::uint64_t>(as_signed(high[i]) >> std::min(by, word_bits - 1)));
    else
      out.word[0][i] = by >= word_bits ? 0 : high[i] >> by;
  }
}

constexpr std::string_view integer_comparisons = "EQ NE LT LE GT GE F T AND OR XOR U32 EX";
constexpr auto rows = std::to_array<SemanticsRow>({
    {"IADD3", "X", "", 3, 1, add_three},
    {"IADD3", "64", "", 2, 0, add_wide},
    {"IADD3", "", "", 3, 0, add_or_carry},
    {"IADD", "64", "", 2, 0, add_wide},
    {"IADD", "", "", 2, 0, add},
    {"VIADD", "", "", 2, 0, add},
    {"IMAD", "MOV", "U32", 3, 0, multiply_move},
    {"IMAD", "WIDE X", "U32", 3, 1, multiply_add_wide},
    {"IMAD", "WIDE", "U32", 3, 0, multiply_add_wide},
    {"IMAD", "HI", "U32", 3, 0, multiply_add_high},
    {"IMAD", "X", "U32", 3, 1, multiply_add_carry},
    {"IMAD", "", "U32 SHL IADD", 3, 0, multiply_add},
    {"LEA", "", "HI X SX32", 3, 0, scaled_add},
    {"IABS", "", "", 1, 0, absolute},
    {"IMNMX", "", "U32", 2, 1, extreme},
    {"VIMNMX", "", "U32", 2, 1, extreme},
    {"VIADDMNMX", "", "U32", 3, 1, add_extreme},
    {"ISETP", "", integer_comparisons, 2, 1, compare},
    {"SHF", "", "L R W HI U32 S32 U64 S64", 3, 0, funnel_shift},
});

}  // namespace

std::span<const SemanticsRow> integer_forms() { return rows; }

}  // namespace warpclock
