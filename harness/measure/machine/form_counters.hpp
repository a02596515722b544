#pragma once

#include <vector>

#include "base/error.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/machine/machine.hpp"
#include "record/machine_row.hpp"

namespace warpclock {

/// Reads counters of composed windows of independent copies, and adds to each row with an issue interval the pipes on
/// which its form executes. `rows` are those of `how.forms`, in their order. Without permission for counters no row
/// gets any. Errors: "device-lost"; "io"; those of make_hole().
[[nodiscard]] Expected<void> count_forms(Worker& worker, const MachineTableOptions& how, std::vector<MachineRow>& rows);

}  // namespace warpclock
