#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpclock {

/// Length of the PTX number at the beginning of the text, including the sign; 0 if there is none. Accepts integers in
/// decimal, hexadecimal, octal and binary with an optional U, decimal fractions, and 0f / 0d with the bits of a float.
[[nodiscard]] std::size_t number_length(std::string_view text);

/// The value of an integer without a sign in any of these notations; none for a fraction and above 64 bits.
[[nodiscard]] std::optional<std::uint64_t> integer_of(std::string_view text);

[[nodiscard]] inline bool is_number(std::string_view text) {
  return !text.empty() && number_length(text) == text.size();
}

}  // namespace warpclock
