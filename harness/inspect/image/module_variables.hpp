#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/elf.hpp"

namespace warpclock {

/// A variable of the module (`__device__`, or a table of the CUDA math library) whose address the loader writes into
/// constant bank 4.
struct ModuleVariable {
  std::uint32_t at = 0;  ///< where that bank has its address
  std::string name;
  std::int64_t bytes = 0;
  std::string contents;  ///< of a table of the math library, which nobody writes; empty: not known

  bool operator==(const ModuleVariable&) const = default;
};

/// By the relocations of .nv.constant4. Error "elf" if a name cannot be read.
[[nodiscard]] Expected<std::vector<ModuleVariable>> module_variables(const std::vector<ElfSection>& sections,
                                                                     std::size_t image_bytes);

}  // namespace warpclock
