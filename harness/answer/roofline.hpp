#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/model_exports.hpp"

namespace warpclock {

/// A roofline as an SVG file: operations per clock and SM over operations per byte, a slope for each level of memory
/// and a line for each pipe. Each has its row as a tooltip. Empty if the ceilings have no level or no pipe.
[[nodiscard]] std::string draw_roofline(const Machine& machine, const std::vector<Ceiling>& ceilings);

}  // namespace warpclock
