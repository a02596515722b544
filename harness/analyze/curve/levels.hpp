#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyze/curve/curve.hpp"
#include "analyze/curve/segments.hpp"

namespace warpclock {

/// A range of a curve in which the value is constant, like latency while the footprint fits into a cache.
struct Level {
  std::size_t first = 0, last = 0;    ///< indices into the curve's points
  double value = 0;                   ///< median of its points
  double low = 0, high = 0;           ///< 95 % interval of that median
  double residual = 0;                ///< largest |point - value| / value
  double slope = 0;                   ///< relative change per octave
  std::vector<std::size_t> outliers;  ///< points inside it that lie off it and do not count for the other fields

  [[nodiscard]] bool holds(std::size_t point) const {
    return point >= first && point <= last && std::ranges::find(outliers, point) == outliers.end();
  }
};

/// The end of a level: the largest axis value that is still on it. This is the capacity of what made the level.
struct Boundary {
  double low = 0, high = 0;  ///< points of the curve that bracket it; neighbours unless noise requires a wider bracket
  double best = 0;
  double confidence = 0;  ///< probability that the bracket holds it, see find_onset()
};

struct Levels {
  std::vector<Level> levels;
  /// The end of levels[i]. The last level has one only if the curve leaves it without reaching another, so there are as
  /// many boundaries as levels or one fewer.
  std::vector<Boundary> boundaries;
};

struct LevelOptions {
  SegmentOptions segment;
  double least_step = 0.03;  ///< levels that differ by less than this share are merged
  double least_rise = 0.01;  ///< a point of the bracket that differs from the level by this share is not on it
  double confidence = 0.95;  ///< a bracket is widened until it holds its boundary with this probability
};

/// Finds the levels of a positive value over a positive axis, rising or falling. Points that are not numbers, not
/// positive or not ascending are ignored. First the curve is cut into flat segments, ramps and loose points at the
/// least cost (see partition()). Then segments that differ by less than `least_step` are merged, and the end of each
/// level is located.
[[nodiscard]] Levels find_levels(const Curve& curve, const LevelOptions& options = {});

struct RefineOptions {
  double tolerance = 0.01;  ///< brackets this narrow, as a share, are not refined
  std::size_t most = 16;    ///< new points for each boundary
  double multiple = 1;      ///< axis values are multiples of this, for instance of a line
};

/// Axis values to measure next, ascending and not yet in the curve, spread evenly in octaves inside each bracket. Empty
/// if each bracket is narrow enough or contains no further multiple.
[[nodiscard]] std::vector<double> refine(const Levels& levels, const Curve& curve, const RefineOptions& options = {});

}  // namespace warpclock
