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

/// Decimal digits and nothing else.
[[nodiscard]] inline std::optional<int> parse_number(std::string_view digits) {
  int value = 0;
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

}  // namespace warpclock
