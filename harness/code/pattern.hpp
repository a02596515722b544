#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "code/listing.hpp"

namespace warpclock {

/// An opcode with a subset of its modifiers, in any order: "HMMA.16816.F32" matches HMMA.16816.F32.BF16. A modifier
/// named twice must be there twice (IMMA.16832.S8.S8).
[[nodiscard]] bool matches(const Instruction& instruction, std::string_view pattern);

[[nodiscard]] bool matches_any(const Instruction& instruction, const std::vector<std::string>& patterns);

}  // namespace warpclock
