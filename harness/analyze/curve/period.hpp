#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyze/curve/curve.hpp"

namespace warpclock {

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
