#pragma once

#include <string>

#include "record/machine_record.hpp"

namespace warpclock {

/// A heat map of the rows that were measured with several stall counts, or with and without the yield hint: for each
/// number of warps and hint the least cycles an instruction over stall counts. Empty for a table without any. Markup.
[[nodiscard]] std::string html_surfaces(const MachineTable& table);

/// Shade of a cell of a heat map, 0 to 5: 5 for twice the least cycles and more.
[[nodiscard]] int heat_shade(double cycles, double least);

}  // namespace warpclock
