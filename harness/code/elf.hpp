#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// The machine code of one kernel of a cubin.
struct CodeSection {
  std::string kernel;
  std::string_view code;   ///< into the image
  bool relocated = false;  ///< the loader changes some of its instructions
};

/// The .text sections of a cubin, in its order. The image is foreign input: error "elf", never a crash.
[[nodiscard]] Expected<std::vector<CodeSection>> code_sections(std::string_view image);

}  // namespace warpclock
