#pragma once

#include <optional>

#include "compose/copies/compile_instruction.hpp"

namespace warpclock {

/// The trial whose counters show most: one without interposed instructions if there is one.
[[nodiscard]] const Trial* counted_trial(const CompiledInstruction& compiled);

/// Instructions that a warp executes in the largest kernel in addition to those in the next smaller one.
[[nodiscard]] std::optional<double> planned(const Trial& trial);

/// The number of copies that it executes in addition, in a launch with `passes` passes.
[[nodiscard]] double further_copies(const Trial& trial, int passes);

}  // namespace warpclock
