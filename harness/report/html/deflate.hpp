#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// `text` in the format of RFC 1951, as the browser's DecompressionStream("deflate-raw") reads it. The same bytes on
/// every machine, which no release of zlib promises: pages are compared byte for byte.
[[nodiscard]] std::string deflate(std::string_view text);

/// Lengths of a prefix code for symbols of these frequencies, none above `longest` bits; 0 for a symbol that does not
/// occur. At least one length is not 0. 2^longest symbols at most.
[[nodiscard]] std::vector<std::uint8_t> code_lengths(const std::vector<std::uint32_t>& frequencies, int longest);

}  // namespace warpclock
