#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace warpclock {

struct PlateauPoint {
  double x = 0, y = 0;
};

/// Where a curve levels off, as throughput does over warps.
struct Plateau {
  double level = 0;        ///< median of the points within 5 % of the highest
  double reached_at = 0;   ///< smallest x with at least 95 % of the level
  std::size_t points = 0;  ///< points on the level; with one the curve may still be rising

  [[nodiscard]] bool flat() const { return points > 1; }
};

constexpr double plateau_share = 0.95;

/// Points in any order; those that are not numbers are left out. Nothing when none is left or the highest is not
/// positive.
[[nodiscard]] std::optional<Plateau> plateau(const std::vector<PlateauPoint>& curve);

}  // namespace warpclock
