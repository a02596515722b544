#pragma once

#include <optional>
#include <vector>

#include "gpu/job/statistics.hpp"

namespace warpclock {

/// Values for pairs of a row and a column: near if both are on the same side, else far.
struct Sides {
  std::vector<bool> row_side, column_side;  ///< false for the side of the first column
  double near = 0, far = 0;                 ///< medians
  Interval near_interval, far_interval;     ///< their 95 % intervals
  double share = 0;  ///< share of the variance left after rows and columns that one product of a row's and a column's
                     ///< component explains
};

/// Whether rows and columns (lines of a cache, and the SMs that load them) fall on two sides each. The means of rows
/// and columns are subtracted. The sides are the signs of the components of the first singular vectors of the rest.
/// Nothing if these explain less than half of the variance of the rest, or less than twice what they would explain of
/// pure noise, (1/sqrt(rows) + 1/sqrt(columns))^2 (Marchenko and Pastur), or if fewer than a tenth of the rows or of
/// the columns are on one side. A value of 0 is missing and is replaced by what its row and column predict. Needs at
/// least eight rows and columns.
[[nodiscard]] std::optional<Sides> find_sides(const std::vector<std::vector<double>>& rows);

}  // namespace warpclock
