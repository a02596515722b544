#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyze/curve/curve.hpp"
#include "analyze/curve/stretches.hpp"

namespace warpclock {

/// A stretch of a curve on which the value stays, as latency does while the footprint fits.
struct Level {
  std::size_t first = 0, last = 0;    ///< indices into the curve's points
  double value = 0;                   ///< median of its points
  double low = 0, high = 0;           ///< 95 % interval of that median
  double residual = 0;                ///< largest |point - value| / value
  double slope = 0;                   ///< share per octave
  std::vector<std::size_t> outliers;  ///< points inside that lie off it, and are in none of the above

  [[nodiscard]] bool holds(std::size_t point) const {
    return point >= first && point <= last && std::ranges::find(outliers, point) == outliers.end();
  }
};

/// Where the curve leaves a level: the largest axis value that still is on it, the capacity of what made the level.
struct Boundary {
  double low = 0, high = 0;  ///< points of the curve that bracket it; neighbours unless the noise asks for more
  double best = 0;
  double confidence = 0;  ///< probability that the bracket holds it, see find_onset()
};

struct Levels {
  std::vector<Level> levels;
  /// The end of levels[i]. The last level has one only when the curve leaves it without coming to another: as many as
  /// levels, or one less.
  std::vector<Boundary> boundaries;
};

struct LevelOptions {
  StretchOptions stretch;
  double least_step = 0.03;  ///< levels that lie closer, as a share, are one
  double least_rise = 0.01;  ///< a point of the bracket that lies this far off the level, as a share, is not on it
  double confidence = 0.95;  ///< a bracket is widened until it holds its boundary with this probability
};

/// Levels of a positive value over a positive axis, rising or falling; points that are not numbers or not positive, or
/// do not ascend, are passed over. First the curve is cut into flat stretches, ramps and loose points at the least
/// cost (see partition()); stretches that do not differ by `least_step` become one; then each end is placed.
[[nodiscard]] Levels find_levels(const Curve& curve, const LevelOptions& options = {});

struct RefineOptions {
  double tolerance = 0.01;  ///< a bracket that is this narrow, as a share, is left alone
  std::size_t most = 16;    ///< new points for each boundary
  double multiple = 1;      ///< axis values are multiples of this, for instance of a line
};

/// Axis values to measure next, ascending, none of which the curve has: spread evenly in octaves inside each bracket.
/// Nothing when each is narrow enough, or no multiple is left in it.
[[nodiscard]] std::vector<double> refine(const Levels& levels, const Curve& curve, const RefineOptions& options = {});

}  // namespace warpclock
