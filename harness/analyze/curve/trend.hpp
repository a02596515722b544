#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "analyze/curve/curve.hpp"

namespace warpclock {

/// A point of a curve on logarithmic scales, where a share is a distance whatever the level.
struct LogPoint {
  double x = 0;          ///< log2 of the axis value: octaves
  double y = 0;          ///< ln of the value
  double doubt = 0;      ///< standard deviation of y that its interval speaks of, 0 when it has none
  double off = 0;        ///< how far y lies off the chord of its neighbours, in units of one point's deviation
  std::size_t from = 0;  ///< index in the curve
};

/// The points that have a logarithm and lie above the one before them on the axis.
[[nodiscard]] std::vector<LogPoint> log_points(const Curve& curve);

/// A line through a stretch of points: y = level + slope * (x - middle).
struct Trend {
  double level = 0, middle = 0;
  double slope = 0;  ///< per octave
  double noise = 0;  ///< standard deviation of the points around it

  [[nodiscard]] double at(double x) const { return level + slope * (x - middle); }
  /// Of a point around the line: its own interval may say more than the others' scatter.
  [[nodiscard]] double noise_of(const LogPoint& p) const { return noise > p.doubt ? noise : p.doubt; }
  /// Minus the log likelihood of a point on the line.
  [[nodiscard]] double cost(const LogPoint& p) const;
  /// Of all, none more than `most`.
  [[nodiscard]] double cost(std::span<const LogPoint> points, double most) const;
};

/// Standard deviation of the points around whatever smooth course they take, at least `floor`: how far each lies off
/// the chord of its neighbours, or off the one before it where that is less (long flat stretches on a coarse axis),
/// by the median, which a few cliffs and bad points do not move.
[[nodiscard]] double scatter(std::span<const LogPoint> points, double floor);

/// The same from the `off` of a stretch's inner points, ascending, drawn towards `usual` when there are few.
[[nodiscard]] double scatter_of(const std::vector<double>& off, double usual, double floor);

/// The line through at least one point, with |slope| of at most `steepest`, where the points scatter by `noise`.
/// Starts from the medians of the outer thirds and then takes least squares of what lies within three standard
/// deviations, so that one bad point in five does not turn it.
[[nodiscard]] Trend trend(std::span<const LogPoint> points, double noise,
                          double steepest = std::numeric_limits<double>::infinity());

}  // namespace warpclock
