#pragma once

#include <cstddef>
#include <vector>

#include "analyze/curve/trend.hpp"

namespace warpclock {

struct SegmentOptions {
  std::size_t least_points = 3;  ///< of a flat segment
  double least_octaves = 0.5;    ///< of a flat segment that neither starts nor ends the curve
  double steepest = 0.02;        ///< of a flat segment, relative change per octave: a walk over more pages gets slower
  double resolution = 0.001;     ///< the lowest scatter that is assumed
};

/// A flat piece of a curve, indices into the points.
struct Segment {
  std::size_t first = 0, last = 0;
  Trend line;
};

/// The explanation of the points of a curve with the least cost.
struct Partition {
  std::vector<Segment> flats;  ///< ascending; between them are ramps and loose points
  double usual = 0;            ///< scatter of the points of the whole curve
  double loose = 0;            ///< cost of a point that no segment explains: a uniform density over the curve's values
  double astray = 0;           ///< cost of a point that belongs to a segment but lies off it
};

/// Minimises, by dynamic programming over all ways to cut the curve, the sum of these costs:
/// - Flat segments: minus the log likelihood of the points around a line with a slope of at most `steepest`, at most
///   `astray` for a point, plus four times ln(points) for the segment.
/// - Ramps of at least four points: the same with any slope, plus one ln(points) for that freedom. Without ramps, a
///   noisy ramp would be taken for a stair.
/// - Points that no segment explains: `loose` each.
///
/// Each segment has its own noise, because latencies of DRAM scatter more than those of L1. A segment that has become
/// hopeless is not extended further. The time is quadratic in the number of points, with a linear fit inside, which
/// suits the few hundred points of a curve.
[[nodiscard]] Partition partition(const std::vector<LogPoint>& points, const SegmentOptions& options);

/// The segment of a range of points, with its line.
[[nodiscard]] Segment flat_segment(const std::vector<LogPoint>& points, std::size_t first, std::size_t last,
                                   double usual, const SegmentOptions& options);

}  // namespace warpclock
