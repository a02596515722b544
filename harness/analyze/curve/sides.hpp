#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyze/statistics.hpp"

namespace warpclock {

/// A value for each pair of a row and a column: near where both are on the same side of something, far where not.
struct Sides {
  std::vector<bool> row_side, column_side;  ///< false for the side that the first column is on
  double near = 0, far = 0;                 ///< medians
  Interval near_interval, far_interval;     ///< 95 % of those
  double share = 0;  ///< of the variance that rows and columns leave, what one product of a row's and a column's has
};

/// Whether rows and columns, lines of a cache and the SMs that load them, fall on two sides each. What a row has for
/// all columns, and a column for all rows, is taken off; of the rest the first singular vectors are taken, and the
/// signs of their components are the sides. Nothing when they have less than half of the rest's variance, or less than
/// twice what they have of noise alone, (1/sqrt(rows) + 1/sqrt(columns))^2 (Marchenko and Pastur), or when fewer than a
/// tenth of the rows or of the columns are on one side. A value of 0 is missing and is taken for what its row and
/// column say. At least eight rows and columns.
[[nodiscard]] std::optional<Sides> find_sides(const std::vector<std::vector<double>>& rows);

}  // namespace warpclock
