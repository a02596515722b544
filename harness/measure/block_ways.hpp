#pragma once

#include <vector>

#include "measure/instructions.hpp"

namespace warpclock {

/// The subjects, and behind them the ways through those that are blocks, each a subject of its own.
[[nodiscard]] std::vector<Subject> with_ways(const std::vector<Subject>& subjects);

/// What was found of the subjects: in a block's answer stand those of its ways, before its own.
[[nodiscard]] std::vector<Found> with_answers(const std::vector<Subject>& subjects, std::vector<Found> all);

}  // namespace warpclock
