#pragma once

#include <vector>

#include "base/error.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/relations_plan.hpp"

namespace warpclock {

/// A study that has been timed, its windows, and the data of its forms.
struct TimedStudy {
  IssueStudy* study = nullptr;
  ComposedWindows composed;
  HoleValues data;
};

/// Runs the shortest and the longest window of each study again, with as many warps as they have at most, and reads
/// MachineTableOptions::counters: what one more turn adds, for each warp. Counters never share a launch with a timing.
/// Without permission to read them, nothing is noted. Error "device-lost".
[[nodiscard]] Expected<void> count_studies(const MachineTableOptions& how, const Hole& hole,
                                           std::vector<TimedStudy> studies);

}  // namespace warpclock
