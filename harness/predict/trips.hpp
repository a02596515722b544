#pragma once

#include <cstdint>
#include <optional>

#include "code/listing.hpp"

namespace warpclock {

/// How often a loop's body runs, if a constant counts it: the jump back depends on a comparison of a register with an
/// immediate, and that register begins with a constant and is added to once in the body. Nothing otherwise.
[[nodiscard]] std::optional<std::int64_t> constant_trips(const Listing& listing, std::size_t jump);

}  // namespace warpclock
