#pragma once

#include <cstddef>
#include <vector>

#include "analyze/curve/trend.hpp"

namespace warpclock {

struct StretchOptions {
  std::size_t least_points = 3;  ///< of a flat stretch
  double least_octaves = 0.5;    ///< of a flat stretch that neither starts nor ends the curve
  double steepest = 0.02;        ///< of a flat stretch, share per octave: the pages that a walk needs grow with it
  double resolution = 0.001;     ///< a smaller scatter is taken for this
};

/// A flat piece of a curve, indices into the points.
struct Stretch {
  std::size_t first = 0, last = 0;
  Trend line;
};

/// How the points of a curve are explained at the least cost.
struct Partition {
  std::vector<Stretch> flats;  ///< ascending; what lies between them are ramps and loose points
  double usual = 0;            ///< scatter of the points of the whole curve
  double loose = 0;            ///< cost of a point that nothing explains, a uniform density over the curve's values
  double astray = 0;           ///< of a point that belongs to a stretch and lies off it
};

/// The minimum, by dynamic programming over all ways to cut the curve, of the sum of
///   - flat stretches: minus the log likelihood of the points around a line with a slope of at most `steepest`, no
///     point more than `astray`, and four times ln(points) for being there;
///   - ramps, of four points and more: the same with any slope, and one ln(points) more for that freedom. They keep
///     a ramp under noise from being taken for a stair;
///   - points that no stretch explains: `loose` each.
/// Each stretch has its own noise, because what comes from DRAM scatters more than what comes from L1. A
/// stretch that has become hopeless is not tried with still more points. Quadratic in the points with a linear fit
/// inside: for the few hundred points of a curve.
[[nodiscard]] Partition partition(const std::vector<LogPoint>& points, const StretchOptions& options);

/// Cuts a piece out of the points, and its line.
[[nodiscard]] Stretch flat_stretch(const std::vector<LogPoint>& points, std::size_t first, std::size_t last,
                                   double usual, const StretchOptions& options);

}  // namespace warpclock
