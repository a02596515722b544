#include "predict/trips.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "code/flow.hpp"
#include "code/modifiers.hpp"
#include "code/semantics.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_trips = 100'000'000;

/// The bits of a number that a half represents exactly; nothing for others.
std::optional<std::int64_t> half_bits(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  constexpr int mantissa = 10, bias = 15, least = -24;
  constexpr std::int64_t sign = 0x8000;
  const double size = std::abs(value);
  int exponent = 0;
  std::frexp(size, &exponent);
  const bool normal = exponent - 1 >= 1 - bias;
  const int unit = normal ? exponent - 1 - mantissa : least;
  const double count = std::ldexp(size, -unit);
  if (exponent > bias + 1 || count != std::floor(count)) return std::nullopt;
  const std::int64_t exponents = normal ? exponent - 1 + bias - 1 : 0;
  const std::int64_t bits = size == 0 ? 0 : (exponents << mantissa) + static_cast<std::int64_t>(count);
  return bits + (std::signbit(value) ? sign : 0);
}

/// -RZ x RZ plus two halves is how ptxas writes some constants.
std::optional<std::int64_t> constant_of_halves(const std::vector<std::string>& operands) {
  if (operands.size() != 5 || operands[1] != "-RZ" || operands[2] != "RZ") return std::nullopt;
  const auto high = half_bits(operands[3]), low = half_bits(operands[4]);
  constexpr int half = 16;
  if (!high || !low) return std::nullopt;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(*high << half | *low));
}

/// What it adds to its own result.
std::optional<std::int64_t> step_of(const Instruction& instruction, const std::string& counter) {
  const auto& operands = instruction.operands;
  const bool adds = instruction.opcode == "VIADD" || instruction.opcode == "IADD3" || instruction.opcode == "UIADD3";
  if (!adds || operands.size() < 3 || operands[0] != counter || operands[1] != counter) return std::nullopt;
  const bool alone = operands.size() == 3 || (operands.size() == 4 && (operands[3] == "RZ" || operands[3] == "URZ"));
  return alone ? immediate_of(operands[2]) : std::nullopt;
}

std::optional<bool> compared(const Instruction& comparison, std::int64_t a, std::int64_t b) {
  if (has_modifier(comparison, "NE")) return a != b;
  if (has_modifier(comparison, "EQ")) return a == b;
  if (has_modifier(comparison, "LT")) return a < b;
  if (has_modifier(comparison, "LE")) return a <= b;
  if (has_modifier(comparison, "GT")) return a > b;
  if (has_modifier(comparison, "GE")) return a >= b;
  return std::nullopt;
}

/// The last instruction before `end`, and not before `first`, that writes the register.
std::optional<std::size_t> last_writer(const Listing& listing, std::size_t first, std::size_t end,
                                       const std::string& reg) {
  for (std::size_t i = end; i > first; --i) {
    const Effects effects = effects_of(listing.instructions[i - 1]);
    if (std::ranges::any_of(effects.writes, [&](Register one) { return to_string(one) == reg; })) return i - 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> immediate_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? -value : value;
}

std::optional<std::int64_t> constant_of(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const std::string name = instruction.name();
  if (operands.empty()) return std::nullopt;
  if (instruction.opcode == "MOV" || instruction.opcode == "UMOV") return immediate_of(operands.back());
  if (instruction.opcode == "CS2R" && operands.back() == "SRZ") return 0;
  if (instruction.opcode == "HFMA2") return constant_of_halves(operands);
  if (name.starts_with("IMAD.MOV") && operands.size() == 4)
    return operands[3] == "RZ" ? std::optional<std::int64_t>(0) : immediate_of(operands[3]);
  return std::nullopt;
}

std::optional<std::int64_t> constant_trips(const Listing& listing, std::size_t jump) {
  const auto& code = listing.instructions;
  const Instruction& back = code[jump];
  const std::size_t header = target_index(listing, back);
  if (header > jump || back.predicate.empty()) return std::nullopt;
  const bool inverted = back.predicate.starts_with('!');
  const auto compares = last_writer(listing, header, jump, back.predicate.substr(inverted ? 1 : 0));
  if (!compares) return std::nullopt;
  const Instruction& comparison = code[*compares];
  const bool plain = (comparison.opcode == "ISETP" || comparison.opcode == "UISETP") &&
                     comparison.operands.size() >= 4 && has_modifier(comparison, "AND") && comparison.predicate.empty();
  const auto bound = plain ? immediate_of(comparison.operands[3]) : std::nullopt;
  if (!bound || to_string(effects_of(comparison).writes.front()) != back.predicate.substr(inverted ? 1 : 0))
    return std::nullopt;
  const std::string counter = comparison.operands[2];
  const auto adds = last_writer(listing, header, jump + 1, counter);
  if (!adds || last_writer(listing, header, *adds, counter)) return std::nullopt;
  const auto step = step_of(code[*adds], counter);
  const auto begins = last_writer(listing, 0, header, counter);
  const auto first = begins ? constant_of(code[*begins]) : std::nullopt;
  if (!step || !first || !code[*adds].predicate.empty()) return std::nullopt;
  std::int64_t value = *first;
  for (std::int64_t trips = 1; trips < most_trips; ++trips, value += *step) {
    const auto holds = compared(comparison, *adds < *compares ? value + *step : value, *bound);
    if (!holds) return std::nullopt;
    if (*holds == inverted) return trips;
  }
  return std::nullopt;
}

}  // namespace warpclock
