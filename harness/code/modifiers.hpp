#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.hpp"
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
  return digits.starts_with('-') ? std::nullopt : whole_number<int>(digits);
}

}  // namespace warpclock
