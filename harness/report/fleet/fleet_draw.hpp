#pragma once

#include <string>

#include "fleet/fleet.hpp"

namespace warpclock {

/// A square for each GPU of a model, in the order of their nodes: red with outliers or rows that were not measured,
/// orange with throttling or memory errors, else grey.
[[nodiscard]] std::string draw_map(const Fleet& fleet, const FleetModel& model);

/// The rows that differ most between the GPUs: for each a line from the smallest to the largest value, a bar over three
/// sigmas on either side of the median, marks at the threshold, and a dot for each outlier; over the deviation from the
/// median in percent. Empty for a model of one GPU.
[[nodiscard]] std::string draw_rows(const Fleet& fleet, std::size_t model);

/// Judged rows first, then by the largest distance from the median as a share of it; none that varies.
[[nodiscard]] std::vector<const FleetRow*> rows_by_spread(const FleetModel& model);

}  // namespace warpclock
