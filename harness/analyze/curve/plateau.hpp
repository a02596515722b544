#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace warpclock {

struct PlateauPoint {
  double x = 0, y = 0;
};

/// The level at which a curve saturates, as throughput does over warps.
struct Plateau {
  double level = 0;        ///< median of the points within 5 % of the highest
  double reached_at = 0;   ///< smallest x with at least 95 % of the level
  std::size_t points = 0;  ///< points on the level; if there is only one, the curve may still be rising

  [[nodiscard]] bool flat() const { return points > 1; }
};

constexpr double plateau_share = 0.95;

/// The points may be in any order; those that are not numbers are ignored. Nothing if none is left or the highest is
/// not positive.
[[nodiscard]] std::optional<Plateau> plateau(const std::vector<PlateauPoint>& curve);

}  // namespace warpclock
