#pragma once

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

}  // namespace warpclock
