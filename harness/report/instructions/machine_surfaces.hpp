#pragma once

#include <string>

#include "record/machine_record.hpp"
#include "report/html/html_page.hpp"

namespace warpclock {

/// A heat map, as a closed part (closed_part()), of the rows that were measured with several stall counts, or both with
/// and without the yield hint. For each number of warps and hint it shows the fewest cycles per instruction over all
/// stall counts. Empty if the table has no such row.
[[nodiscard]] std::string html_surfaces(const MachineTable& table, Parts& parts);

/// Shade of a cell of a heat map, 0 to 5; 5 means at least twice the least cycles.
[[nodiscard]] int heat_shade(double cycles, double least);

}  // namespace warpclock
