#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpclock {

/// The number, if `digits` consists of hex digits only.
[[nodiscard]] std::optional<std::uint64_t> hex_number(std::string_view digits);

/// In lower case, with leading zeros up to `width` digits.
void append_hex(std::string& to, std::uint64_t number, int width);

/// Cuts off a leading `/*01f0*/` and returns its number; nothing if there is none.
[[nodiscard]] std::optional<std::uint64_t> take_address(std::string_view& line);

/// Cuts off a trailing `/* 0x0c001f0302047589 */` and returns its word; nothing if there is none.
[[nodiscard]] std::optional<std::uint64_t> take_encoding(std::string_view& line);

}  // namespace warpclock
