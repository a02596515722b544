#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "analyze/curve/curve.hpp"

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

/// Where a curve leaves a flat segment.
struct Onset {
  std::size_t low = 0, high = 0;  ///< indices of the points on both sides; neighbours unless there is much noise
  double best = 0;                ///< octaves: median of the posterior
  double confidence = 0;          ///< posterior probability of the bracket
};

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

/// The smallest axis value at which a curve reaches a share of its plateau.
struct Reach {
  double best = 0;  ///< interpolated linearly between two points
  double low = 0,
         high = 0;  ///< points that bracket it with 95 % confidence; low is 0 if the first point already does
};

/// Where a rate stops growing, as bandwidth does with the bytes in flight.
struct Saturation {
  double plateau = 0, low = 0, high = 0;  ///< median of the points on the plateau, and its 95 % interval
  std::size_t points = 0;                 ///< number of points on the plateau
  bool rising = false;                    ///< still rises at the end of the curve, by certainly more than 1 % per
                                          ///< octave
  std::optional<Reach> at90, at99;        ///< nothing if the curve is not saturated

  [[nodiscard]] bool saturated() const { return points > 1 && !rising; }
};

/// Uses points with positive axis values and values, ascending; nothing if there are fewer than three. The plateau
/// consists of the points within 2 %, or within three standard deviations of the curve's noise, of the highest value
/// that has an equally high neighbour: one bad point makes no plateau. The shares are located on the smallest change of
/// the points that makes them rise up to the plateau (isotonic regression), because under noise an early point of the
/// plateau may pass 99 % and the next one may not. The number of points that this averages determines the uncertainty.
[[nodiscard]] std::optional<Saturation> find_saturation(const Curve& curve);

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
