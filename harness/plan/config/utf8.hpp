#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace warpclock {

/// Offset of the first byte of `text` that no well-formed UTF-8 sequence holds (RFC 3629: no overlong forms, no
/// surrogates, nothing past U+10FFFF).
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace warpclock
