#include "predict/memory/lane_exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace warpclock {
namespace {

constexpr unsigned word_bits = 32;

bool has(const LaneOperation& operation, std::string_view modifier) {
  return std::ranges::find(operation.modifiers, modifier) != operation.modifiers.end();
}

std::int64_t as_signed(std::uint32_t number) { return static_cast<std::int32_t>(number); }

/// A source with its sign: -a is ~a + 1, whose sum has the carry of the hardware.
std::uint64_t addend(const LaneOperand& operand, std::uint32_t number) {
  if (operand.negative) return std::uint64_t{~number} + 1;
  return operand.inverted ? ~number : number;
}

std::uint32_t with_sign(const LaneOperand& operand, std::uint32_t number) {
  return static_cast<std::uint32_t>(addend(operand, number));
}

ExactResults added(const LaneOperation& what, const ExactInputs& in) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < what.sources.size(); ++i) sum += addend(what.sources[i], in.low[i]);
  if (has(what, "X")) sum += (in.carries[0] ? 1U : 0U) + (in.carries[1] ? 1U : 0U);
  const std::uint64_t carry = sum >> word_bits;
  return {static_cast<std::uint32_t>(sum), carry >= 1, carry >= 2};
}

/// IMAD.WIDE and IMAD.HI add 64 bits; IMAD.X adds a carry.
ExactResults multiplied(const LaneOperation& what, const ExactInputs& in) {
  const std::uint32_t a = with_sign(what.sources[0], in.low[0]), b = with_sign(what.sources[1], in.low[1]);
  const std::uint64_t product =
      has(what, "U32") ? std::uint64_t{a} * b : static_cast<std::uint64_t>(as_signed(a) * as_signed(b));
  std::uint64_t add = (std::uint64_t{in.high[2]} << word_bits) | in.low[2];
  if (what.sources[2].negative) add = 0 - add;
  const std::uint64_t sum = product + add;
  if (has(what, "HI")) return {static_cast<std::uint32_t>(sum >> word_bits)};
  return {static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> word_bits)};
}

/// A comparison of the upper words, which decides unless they are equal.
ExactResults compared(const LaneOperation& what, const ExactInputs& in) {
  const std::uint32_t first = with_sign(what.sources[0], in.low[0]), second = with_sign(what.sources[1], in.low[1]);
  const bool plain = has(what, "U32"), below = in.low[3] != 0;
  const std::int64_t a = plain ? std::int64_t{first} : as_signed(first);
  const std::int64_t b = plain ? std::int64_t{second} : as_signed(second);
  const bool holds = has(what, "EQ")                      ? a == b && below
                     : has(what, "NE")                    ? a != b || below
                     : has(what, "LT") || has(what, "LE") ? a < b || (a == b && below)
                                                          : a > b || (a == b && below);
  const bool also = in.low[2] != 0;
  const bool all = has(what, "OR") ? holds || also : has(what, "XOR") ? holds != also : holds && also;
  return {all ? 1U : 0U};
}

/// LEA d, a, b, shift and LEA.HI d, a, b, c, shift, which adds the upper word of c:a << shift.
ExactResults scaled(const LaneOperation& what, const ExactInputs& in) {
  const bool high = has(what, "HI");
  const std::size_t last = what.sources.size() - 1;
  const unsigned shift = in.low[last] % word_bits;
  std::uint64_t wide = with_sign(what.sources[0], in.low[0]);
  if (has(what, "SX32"))
    wide = static_cast<std::uint64_t>(as_signed(static_cast<std::uint32_t>(wide)));
  else if (high && last > 2)
    wide |= std::uint64_t{in.low[2]} << word_bits;
  wide <<= shift;
  const std::uint64_t part = high ? wide >> word_bits : wide & std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t sum = (part & std::numeric_limits<std::uint32_t>::max()) + addend(what.sources[1], in.low[1]) +
                            (has(what, "X") && in.carries[0] ? 1 : 0);
  return {static_cast<std::uint32_t>(sum), (sum >> word_bits) != 0};
}

/// SHF d, low, shift, high.
ExactResults shifted(const LaneOperation& what, const ExactInputs& in) {
  const bool wide = has(what, "U64") || has(what, "S64");
  const unsigned most = wide ? 63 : word_bits;
  const unsigned shift = has(what, "W") ? in.low[1] % (wide ? 64 : word_bits) : std::min(in.low[1], most);
  const std::uint64_t both = (std::uint64_t{in.low[2]} << word_bits) | in.low[0];
  if (has(what, "L")) {
    const std::uint64_t moved = both << shift;
    if (!has(what, "HI")) return {shift >= word_bits ? 0 : in.low[0] << shift};
    return {static_cast<std::uint32_t>(moved >> word_bits)};
  }
  const bool arithmetic = has(what, "S32") || has(what, "S64");
  if (!has(what, "HI")) return {static_cast<std::uint32_t>(shift >= 64 ? 0 : both >> shift)};
  if (arithmetic) return {static_cast<std::uint32_t>(as_signed(in.low[2]) >> std::min(shift, word_bits - 1))};
  return {shift >= word_bits ? 0 : in.low[2] >> shift};
}

/// LOP3 with a predicate, which is whether any bit is set, before its register.
ExactResults logical(const LaneOperation& what, const ExactInputs& in) {
  std::uint32_t bits = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((in.low[3] >> row & 1U) == 0) continue;
    std::uint32_t holds = ~0U;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t value = with_sign(what.sources[i], in.low[i]);
      holds &= (row >> (2 - i) & 1U) != 0 ? value : ~value;
    }
    bits |= holds;
  }
  return {bits != 0, bits};
}

std::uint32_t float_of(const LaneOperation& what, std::uint32_t number) {
  const double exact = has(what, "U32") ? number : static_cast<double>(as_signed(number));
  auto made = static_cast<float>(exact);
  if (has(what, "RP") && made < exact) made = std::nextafter(made, std::numeric_limits<float>::infinity());
  return std::bit_cast<std::uint32_t>(made);
}

std::uint32_t integer_of(std::uint32_t bits) {
  const auto number = static_cast<double>(std::bit_cast<float>(bits));
  constexpr double most = 4294967295.0;
  return number >= 0 ? static_cast<std::uint32_t>(std::min(number, most)) : 0;
}

std::uint32_t extreme(const LaneOperation& what, const ExactInputs& in) {
  const std::uint32_t a = with_sign(what.sources[0], in.low[0]), b = with_sign(what.sources[1], in.low[1]);
  const bool less = has(what, "U32") ? a < b : as_signed(a) < as_signed(b);
  return less == in.carries[0] ? a : b;
}

}  // namespace

bool is_exact(const LaneOperation& what) {
  const std::string_view opcode = what.opcode;
  const std::size_t sources = what.sources.size();
  if (sources > ExactInputs::most) return false;
  if (opcode == "IADD3") return sources == 3 && (has(what, "X") || what.writes.size() > 1);
  if (opcode == "IMAD") return sources == 3 && (has(what, "WIDE") || has(what, "HI"));
  if (opcode == "ISETP") return sources == 4 && has(what, "EX");
  if (opcode == "LEA") return sources >= 3 && (has(what, "HI") || what.writes.size() > 1);
  if (opcode == "SHF") return sources == 3;
  if (opcode == "LOP3") return sources == 4 && what.writes.size() == 2;
  if (opcode == "IMNMX" || opcode == "VIMNMX") return sources == 2 && !what.carries.empty();
  if (opcode == "IABS") return sources == 1;
  if (opcode == "I2F") return sources == 1 && !has(what, "F64") && !has(what, "F16") && !has(what, "U64");
  if (opcode == "F2I") return sources == 1 && has(what, "U32") && has(what, "TRUNC");
  return opcode == "MUFU" && sources == 1 && has(what, "RCP");
}

bool reads_pair(const LaneOperation& what, std::size_t i) { return what.opcode == "IMAD" && i == 2; }

ExactResults exact_results(const LaneOperation& what, const ExactInputs& in) {
  const std::string_view opcode = what.opcode;
  if (opcode == "IADD3") return added(what, in);
  if (opcode == "IMAD") return multiplied(what, in);
  if (opcode == "ISETP") return compared(what, in);
  if (opcode == "LEA") return scaled(what, in);
  if (opcode == "SHF") return shifted(what, in);
  if (opcode == "LOP3") return logical(what, in);
  if (opcode == "IMNMX" || opcode == "VIMNMX") return {extreme(what, in)};
  if (opcode == "IABS") return {static_cast<std::uint32_t>(std::abs(as_signed(in.low[0])))};
  if (opcode == "I2F") return {float_of(what, with_sign(what.sources[0], in.low[0]))};
  if (opcode == "F2I") return {integer_of(in.low[0])};
  return {std::bit_cast<std::uint32_t>(1 / std::bit_cast<float>(in.low[0]))};
}

std::vector<LaneRef> exact_lanes(const LaneOperation& what, const ExactLanes& lanes, std::size_t threads) {
  std::array<std::vector<std::uint32_t>, std::tuple_size_v<ExactResults>> results;
  for (auto& each : results) each.resize(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    ExactInputs in;
    for (std::size_t i = 0; i < what.sources.size(); ++i) {
      in.low[i] = lanes.low[i]->at(t);
      if (lanes.high[i]) in.high[i] = lanes.high[i]->at(t);
    }
    for (std::size_t i = 0; i < in.carries.size(); ++i)
      in.carries[i] = lanes.carries[i] && lanes.carries[i]->at(t) != 0;
    const ExactResults one = exact_results(what, in);
    for (std::size_t i = 0; i < results.size(); ++i) results[i][t] = one[i];
  }
  std::vector<LaneRef> made;
  for (std::size_t i = 0; i < what.writes.size(); ++i)
    made.push_back(i < results.size() ? own_lanes(std::move(results[i])) : nullptr);
  return made;
}

std::optional<bool> comparison(const LaneOperation& what, std::uint32_t a, std::uint32_t b) {
  if (has(what, "NE")) return a != b;
  if (has(what, "EQ")) return a == b;
  const bool less = has(what, "U32") ? a < b : as_signed(a) < as_signed(b);
  if (has(what, "LT")) return less;
  if (has(what, "GE")) return !less;
  if (has(what, "LE")) return less || a == b;
  if (has(what, "GT")) return !less && a != b;
  return std::nullopt;
}

}  // namespace warpclock
