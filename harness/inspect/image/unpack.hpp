#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// The most bytes that an entry of a fat binary may unpack to.
inline constexpr std::size_t most_unpacked = std::size_t{256} << 20;

/// Unpacks one LZ4 block ("LZ4 Block Format Description") that holds exactly `size` bytes. The block is foreign input:
/// error "fat-binary".
[[nodiscard]] Expected<std::string> unpack_lz4(std::string_view block, std::size_t size);

/// Unpacks Zstandard frames (RFC 8878) that hold exactly `size` bytes by libzstd.so.1, which is loaded if it is there.
/// Error "fat-binary", with the fix if it is not.
[[nodiscard]] Expected<std::string> unpack_zstd(std::string_view frames, std::size_t size);

}  // namespace warpclock
