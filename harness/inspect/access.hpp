#pragma once

#include <optional>

#include "code/listing.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

/// What an instruction accesses, counted once; nothing if it accesses no memory.
[[nodiscard]] std::optional<Access> access_of(const Instruction& instruction);

}  // namespace warpclock
