#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// A section of a cubin.
struct ElfSection {
  std::string_view name;    ///< into the image
  std::uint32_t type = 0;   ///< SHT_PROGBITS, …
  std::uint32_t info = 0;   ///< what sh_info means for its type
  std::uint64_t flags = 0;  ///< sh_flags
  std::uint64_t size = 0;   ///< also of a section without bytes in the file
  std::string_view bytes;   ///< into the image; empty for SHT_NOBITS, and where they do not lie in it
};

/// The sections of a cubin, by their index. The image is foreign input: error "elf", never a crash.
[[nodiscard]] Expected<std::vector<ElfSection>> elf_sections(std::string_view image);

/// The machine code of one kernel of a cubin.
struct CodeSection {
  std::string kernel;
  std::string_view code;   ///< into the image
  bool relocated = false;  ///< the loader changes some of its instructions
};

/// The .text sections of a cubin, in its order. The image is foreign input: error "elf", never a crash.
[[nodiscard]] Expected<std::vector<CodeSection>> code_sections(std::string_view image);

}  // namespace warpclock
