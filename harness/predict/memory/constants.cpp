#include "predict/memory/constants.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

namespace warpclock {
namespace {

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

}  // namespace warpclock
