#pragma once

#include <vector>

#include "measure/measure_instructions.hpp"

namespace warpclock {

/// The subjects, followed by the paths through those that are blocks. Each path is a subject of its own.
[[nodiscard]] std::vector<Subject> with_ways(const std::vector<Subject>& subjects);

/// The results of the subjects. The results of a block's paths are merged into the block's answer, before its own.
[[nodiscard]] std::vector<MeasuredInstruction> with_answers(const std::vector<Subject>& subjects,
                                                            std::vector<MeasuredInstruction> all);

}  // namespace warpclock
