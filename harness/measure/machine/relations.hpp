#pragma once

#include <vector>

#include "base/error.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/relations_plan.hpp"
#include "record/machine_record.hpp"

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

/// Measures how machine instructions depend on each other (producer to consumer), share a sub-partition (pairs), read
/// register banks, and are fetched from long code. Fills these parts of the table; MachineTableOptions::forms and
/// `failed` are not used. Errors: "device-lost"; those of make_hole().
[[nodiscard]] Expected<void> measure_relations(const MachineTableOptions& how, const FormTable& forms,
                                               MachineTable& table);

/// Counters that show what warps wait for, and which pipes are busy. All are sums over the sub-partitions.
[[nodiscard]] const std::vector<std::string>& study_metrics();

}  // namespace warpclock
