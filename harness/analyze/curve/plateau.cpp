#include "analyze/curve/plateau.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/job/statistics.hpp"

namespace warpclock {

std::optional<Plateau> plateau(const std::vector<PlateauPoint>& curve) {
  std::vector<PlateauPoint> points;
  for (const PlateauPoint& p : curve) {
    if (std::isfinite(p.x) && std::isfinite(p.y)) points.push_back(p);
  }
  if (points.empty()) return std::nullopt;
  const double highest = std::ranges::max(points, {}, &PlateauPoint::y).y;
  if (!(highest > 0)) return std::nullopt;

  std::vector<double> level;
  for (const PlateauPoint& p : points) {
    if (p.y >= plateau_share * highest) level.push_back(p.y);
  }
  Plateau found;
  found.points = level.size();
  found.level = median(sorted_finite(std::move(level)));
  found.reached_at = std::ranges::max(points, {}, &PlateauPoint::y).x;
  for (const PlateauPoint& p : points) {
    if (p.y >= plateau_share * found.level) found.reached_at = std::min(found.reached_at, p.x);
  }
  return found;
}

}  // namespace warpclock
