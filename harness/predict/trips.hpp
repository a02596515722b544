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

/// How often a loop's body runs, if a constant counts it: the jump back depends on a comparison of a register with an
/// immediate, and that register begins with a constant and is added to once in the body. Nothing otherwise.
[[nodiscard]] std::optional<std::int64_t> constant_trips(const Listing& listing, std::size_t jump);

}  // namespace warpclock
