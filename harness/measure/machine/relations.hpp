#pragma once

#include <vector>

#include "base/error.hpp"
#include "measure/machine/machine.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

/// Measures how machine instructions depend on each other (producer to consumer), share a sub-partition (pairs), read
/// register banks, and are fetched from long code. Fills these parts of the table; MachineTableOptions::forms and
/// `failed` are not used. Errors: "device-lost"; those of make_hole().
[[nodiscard]] Expected<void> measure_relations(const MachineTableOptions& how, const FormTable& forms,
                                               MachineTable& table);

/// Counters that show what warps wait for, and which pipes are busy. All are sums over the sub-partitions.
[[nodiscard]] const std::vector<std::string>& study_metrics();

}  // namespace warpclock
