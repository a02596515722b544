#pragma once

#include <cstddef>

#include "code/listing.hpp"

namespace warpclock {

/// Cycles that the hardware adds to the stall counts between the issues of instructions `first` and `last` of
/// straight-line code. Source: measurements with patched stall counts, and recorded windows to the cycle
/// (docs/findings.md, "Instruction issue"). Zero for architectures that were not measured.
[[nodiscard]] int waited_cycles(const Listing& listing, std::size_t first, std::size_t last);

}  // namespace warpclock
