#pragma once

#include <cstddef>

#include "code/listing.hpp"

namespace warpclock {

/// Cycles that the hardware adds to the stall counts between the issues of instructions `first` and `last` of a
/// straight line. What is known of it was measured: by cubins with patched stall counts, and by what recorded windows
/// took to the cycle (docs/findings.md, "Instruction issue"). Zero for architectures that were not measured.
[[nodiscard]] int waited_cycles(const Listing& listing, std::size_t first, std::size_t last);

}  // namespace warpclock
