#pragma once

#include <optional>

#include "verify/instruction/study.hpp"

namespace warpclock {

/// The trial whose counters tell most: one that nothing was woven into, if there is one.
[[nodiscard]] const Trial* counted_trial(const Study& study);

/// Instructions that a warp executes of the largest kernel and not of the one before it.
[[nodiscard]] std::optional<double> planned(const Trial& trial);

/// The copies that it executes more, in a launch of so many passes.
[[nodiscard]] double further_copies(const Trial& trial, int passes);

}  // namespace warpclock
