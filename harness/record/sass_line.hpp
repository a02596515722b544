#pragma once

#include <string>
#include <vector>

#include "code/listing.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// "B0----5:R-:W2:Y:S04  @P0 LDG.E R4, desc[UR4][R2.64]": scoreboards waited for, the read and the write scoreboard
/// that it sets, yield, stall count (the notation of maxas), then predicate and instruction.
[[nodiscard]] std::string sass_line(const Instruction& instruction);

/// The window, including both clock reads. Beyond `most_sass_lines` the middle is left out, and a line says so.
[[nodiscard]] std::vector<std::string> sass_lines(const Listing& listing, const Verdict& verdict);

constexpr std::size_t most_sass_lines = 400;

}  // namespace warpclock
