#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyze/curve/curve.hpp"

namespace warpclock {

/// A place where a value jumps and stays.
struct Step {
  double low = 0, high = 0;      ///< last point before it and first point after it
  double before = 0, after = 0;  ///< medians of the runs on both sides
  double confidence = 0;         ///< probability that it is between these two points and no others
};

/// All steps, ascending: the first is the size of a line when cost is over the offset of a second access. The curve is
/// cut into runs of at least two points at the least cost, absolute deviations from the run's median in units of the
/// scatter, no point more than five, plus 2 ln(points) for each run; a step is at least `least_step` of the curve's
/// largest value. Any axis and values that are numbers, axis ascending.
[[nodiscard]] std::vector<Step> find_steps(const Curve& curve, double least_step = 0.03);

/// How a value repeats over an axis.
struct Period {
  double period = 0;       ///< in units of the axis; 0: it does not repeat
  std::size_t points = 0;  ///< of one period
  double confidence = 0;   ///< probability of this answer among no period and all periods that the curve holds twice
};

/// Over an evenly spaced axis of at least six points; nothing for another. Every period of a whole number of points
/// that the curve holds at least twice is tried, and none: the values lie around the median of their phase with a
/// Laplace distribution, but for one point in ten thousand, which may lie anywhere; each phase costs ln(points) / 2, as
/// the Bayesian information criterion has it. A multiple of a period is no other answer. A slope or a single step does
/// not repeat.
[[nodiscard]] std::optional<Period> find_period(const Curve& curve);

}  // namespace warpclock
