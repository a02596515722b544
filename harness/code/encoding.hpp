#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpclock {

/// The number that hex digits, and nothing else, are.
[[nodiscard]] std::optional<std::uint64_t> hex_number(std::string_view digits);

/// In lower case, with leading zeros up to `width` digits.
void append_hex(std::string& to, std::uint64_t number, int width);

/// The number inside a leading `/*01f0*/`, which is cut off; nothing when there is none.
[[nodiscard]] std::optional<std::uint64_t> take_address(std::string_view& line);

/// The word of a trailing `/* 0x0c001f0302047589 */`, which is cut off; nothing when there is none.
[[nodiscard]] std::optional<std::uint64_t> take_encoding(std::string_view& line);

}  // namespace warpclock
