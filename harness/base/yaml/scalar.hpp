#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace warpclock {

/// Whether plain text is an integer in the one form on which all YAML readers agree: -12, 0, 4096.
[[nodiscard]] bool is_plain_integer(std::string_view text);

/// Whether plain text is a number in the form of JSON.
[[nodiscard]] bool is_plain_number(std::string_view text);

/// Whether some YAML reader (1.1 or 1.2) reads plain text as a number, a boolean, null or a date: 0x1f, 1_000, 1:30,
/// yes, ~. Such text must be quoted if it is meant as text.
[[nodiscard]] bool looks_typed(std::string_view text);

/// Offset of the first byte of `text` that is not part of a well-formed UTF-8 sequence (RFC 3629: no overlong forms, no
/// surrogates, nothing past U+10FFFF).
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace warpclock
