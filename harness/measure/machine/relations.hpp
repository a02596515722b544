#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/relations_plan.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Studies that run in holes of one kind.
struct StudiesInHole {
  std::vector<StudyPlan> plans;
  std::span<const int> lengths;  ///< of windows whose plan leaves them open
  HoleKind hole = HoleKind::Usual;
};

/// Runs the shortest and the longest window of each wanted study again, with as many warps as they have at most, and
/// reads MachineTableOptions::counters: what one more turn adds, for each warp. Counters never share a launch with a
/// timing. Without permission to read them, nothing is noted. `studies` are those of the plans. Errors: "device-lost";
/// those of make_hole().
[[nodiscard]] Expected<void> count_studies(const MachineTableOptions& how, const Movers& movers,
                                           const StudiesInHole& timed, std::vector<Row>& studies,
                                           const std::function<bool(const Row&)>& wanted);

/// Measures how machine instructions depend on each other (producer to consumer), share a sub-partition (pairs), read
/// register banks, and are fetched from long code. Adds their rows to those of the forms; MachineTableOptions::forms
/// and `failed` are not used. Errors: "device-lost"; those of make_hole().
[[nodiscard]] Expected<void> measure_relations(const MachineTableOptions& how, const FormTable& forms, Record& table);

/// Counters that show what warps wait for, and which pipes are busy. All are sums over the sub-partitions.
[[nodiscard]] const std::vector<std::string>& study_metrics();

}  // namespace warpclock
