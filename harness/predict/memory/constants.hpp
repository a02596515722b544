#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "code/listing.hpp"

namespace warpclock {

/// The number that the instruction leaves in its result whatever it reads; nothing if it depends on what it reads.
[[nodiscard]] std::optional<std::int64_t> constant_of(const Instruction& instruction);

/// The number that an operand writes, as "-0x1f" or "5".
[[nodiscard]] std::optional<std::int64_t> immediate_of(std::string_view text);

}  // namespace warpclock
