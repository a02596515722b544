#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace warpclock {

/// Offset of the first byte of `text` that is not part of a well-formed UTF-8 sequence (RFC 3629: no overlong forms, no
/// surrogates, nothing past U+10FFFF).
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace warpclock
