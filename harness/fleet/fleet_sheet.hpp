#pragma once

#include "base/sheet/sheet.hpp"
#include "fleet/baseline.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {

/// Each model with its GPUs, outliers first, then nodes, parts of GPUs, and what was not measured. For people long
/// tables are cut, and say of how many; programs get all.
[[nodiscard]] Sheet fleet_sheet(const Fleet& fleet);

/// What differs from a baseline.
[[nodiscard]] Sheet gate_sheet(const Fleet& fleet, const GateResult& gate);

/// Both as one value; the second as its member `gate`. `gate` may be null.
[[nodiscard]] Json fleet_json(const Fleet& fleet, const GateResult* gate);

}  // namespace warpclock
