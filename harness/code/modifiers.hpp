#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "code/listing.hpp"

namespace warpclock {

[[nodiscard]] inline bool has_modifier(const Instruction& instruction, std::string_view modifier) {
  return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

/// L1 keeps what it loads unless the load must see what other SMs store, or asks for no place in L1.
[[nodiscard]] inline bool uses_l1(const Instruction& load) {
  const bool past = has_modifier(load, "NA") || has_modifier(load, "BYPASS") ||
                    (has_modifier(load, "STRONG") && !has_modifier(load, "SM"));
  return !past;
}

/// Decimal digits and nothing else.
[[nodiscard]] inline std::optional<int> parse_number(std::string_view digits) {
  int value = 0;
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

}  // namespace warpclock
