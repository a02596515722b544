#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// An entry of a fat binary: PTX or machine code for one architecture.
struct FatEntry {
  enum class Packing : std::uint8_t { None, Lz4, Zstd };

  bool ptx = false;
  Arch arch;
  Packing packing = Packing::None;
  std::size_t size = 0;    ///< unpacked
  std::string_view bytes;  ///< into the file, as they are packed
};

/// The entries of all fat binaries in a file, in its order: in a .fatbin, or in an executable, a library, an archive or
/// an object, which are searched for the header. The layout is that of cuobjdump's and nvcc's files, CUDA 11 to 13. The
/// file is foreign input: error "fat-binary", with the offset.
[[nodiscard]] Expected<std::vector<FatEntry>> fat_entries(std::string_view file);

/// The PTX or the cubin. Error "fat-binary".
[[nodiscard]] Expected<std::string> unpacked(const FatEntry& entry);

/// The most bytes that an entry of a fat binary may unpack to.
inline constexpr std::size_t most_unpacked = std::size_t{256} << 20;

/// The most bytes that all chosen entries of a file of this size may unpack to together. Machine code unpacks to three
/// to ten times its size.
[[nodiscard]] constexpr std::size_t most_unpacked_together(std::size_t file_bytes) {
  return std::max(most_unpacked, 16 * file_bytes);
}

/// Unpacks one LZ4 block ("LZ4 Block Format Description") that holds exactly `size` bytes. The block is foreign input:
/// error "fat-binary".
[[nodiscard]] Expected<std::string> unpack_lz4(std::string_view block, std::size_t size);

/// Unpacks Zstandard frames (RFC 8878) that hold exactly `size` bytes by libzstd.so.1, which is loaded if it is there.
/// Error "fat-binary", with the fix if it is not.
[[nodiscard]] Expected<std::string> unpack_zstd(std::string_view frames, std::size_t size);

}  // namespace warpclock
