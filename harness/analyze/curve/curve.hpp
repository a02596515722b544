#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/job/statistics.hpp"

namespace warpclock {

/// The value at one point of the axis, with its 95 % interval.
struct CurvePoint {
  double at = 0;
  double value = 0;
  double low = 0, high = 0;  ///< both 0 if unknown
};

/// The results of one verified kernel at many values of a run-time axis.
struct Curve {
  std::string axis, axis_unit;
  std::string name, unit;
  std::vector<CurvePoint> points;  ///< with ascending `at`
};

/// A point of a curve on logarithmic scales, where equal shares are equal distances at every level.
struct LogPoint {
  double x = 0;          ///< log2 of the axis value: octaves
  double y = 0;          ///< ln of the value
  double doubt = 0;      ///< standard deviation of y according to its interval; 0 if it has none
  double off = 0;        ///< distance of y from the chord of its neighbours, in units of one point's deviation
  std::size_t from = 0;  ///< index in the curve
};

/// The points that have a logarithm and ascend on the axis.
[[nodiscard]] std::vector<LogPoint> log_points(const Curve& curve);

/// A line through a segment of points: y = level + slope * (x - middle).
struct Trend {
  double level = 0, middle = 0;
  double slope = 0;  ///< per octave
  double noise = 0;  ///< standard deviation of the points around it

  [[nodiscard]] double at(double x) const { return level + slope * (x - middle); }
  /// The noise of a point around the line. Its own interval may be wider than the scatter of the others.
  [[nodiscard]] double noise_of(const LogPoint& p) const { return noise > p.doubt ? noise : p.doubt; }
  /// Minus the log likelihood of a point, given the line.
  [[nodiscard]] double cost(const LogPoint& p) const;
  /// The sum over all points, each at most `most`.
  [[nodiscard]] double cost(std::span<const LogPoint> points, double most) const;
};

/// Standard deviation of the points around any smooth curve, at least `floor`. It is the median of the distance of each
/// point from the chord of its neighbours, or from the point before it if that is less (for long flat segments on a
/// coarse axis). A few cliffs and bad points do not change the median.
[[nodiscard]] double scatter(std::span<const LogPoint> points, double floor);

/// The same from the ascending `off` values of a segment's inner points, weighted towards `usual` if there are few.
[[nodiscard]] double scatter_of(const std::vector<double>& off, double usual, double floor);

/// The line through at least one point with |slope| of at most `steepest`, for points that scatter by `noise`. Starts
/// from the medians of the outer thirds, then applies least squares to the points within three standard deviations, so
/// that one bad point in five does not turn the line.
[[nodiscard]] Trend trend(std::span<const LogPoint> points, double noise,
                          double steepest = std::numeric_limits<double>::infinity());

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

/// A place where a value jumps and stays at the new level.
struct Step {
  double low = 0, high = 0;      ///< the last point before it and the first point after it
  double before = 0, after = 0;  ///< medians of the runs on both sides
  double confidence = 0;         ///< probability that it lies between these two points
};

/// All steps, ascending. In the cost over the offset of a second access, the first step is the size of a line. The
/// curve is cut into runs of at least two points at the least cost: absolute deviations from the run's median in units
/// of the scatter, at most five for a point, plus 2 ln(points) for each run. A step is at least `least_step` of the
/// curve's largest value. Any axis and values that are numbers; the axis must ascend.
[[nodiscard]] std::vector<Step> find_steps(const Curve& curve, double least_step = 0.03);

/// How a value repeats over an axis.
struct Period {
  double period = 0;       ///< in units of the axis; 0 if the value does not repeat
  std::size_t points = 0;  ///< in one period
  double confidence = 0;   ///< probability of this answer among all periods that the curve holds twice, and none
};

/// Requires an evenly spaced axis of at least six points; nothing otherwise. It compares every period of a whole number
/// of points that the curve holds at least twice, and no period. The model: values lie around the median of their phase
/// with a Laplace distribution, except for one point in ten thousand, which may lie anywhere; each phase costs
/// ln(points) / 2, as in the Bayesian information criterion. A multiple of a period counts as the same answer. A slope
/// or a single step is not periodic.
[[nodiscard]] std::optional<Period> find_period(const Curve& curve);

}  // namespace warpclock
