#include "analyze/curve/levels.hpp"

#include <cmath>
#include <set>
#include <span>

#include "analyze/curve/onset.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

bool apart(double a, double b, const LevelOptions& options) {
  return std::abs(a - b) >= std::log1p(options.least_step);
}

/// Whether two neighbours form one level with at most two bad points between them.
bool same_level(const std::vector<LogPoint>& points, const Segment& a, const Segment& b, const LevelOptions& options) {
  if (apart(a.line.at(points[a.last].x), b.line.at(points[b.first].x), options)) return false;
  const auto between = std::span(points).subspan(a.last + 1, b.first - a.last - 1);
  return std::ranges::count_if(between, [&](const LogPoint& p) {
           return apart(p.y, a.line.at(p.x), options) && apart(p.y, b.line.at(p.x), options);
         }) <= 2;
}

void merge(std::vector<Segment>& flats, const std::vector<LogPoint>& points, double usual,
           const LevelOptions& options) {
  for (std::size_t i = 1; i < flats.size();) {
    Segment& a = flats[i - 1];
    if (!same_level(points, a, flats[i], options)) {
      ++i;
      continue;
    }
    a = flat_segment(points, a.first, flats[i].last, usual, options.segment);
    flats.erase(flats.begin() + static_cast<std::ptrdiff_t>(i));
    i = std::max<std::size_t>(i - 1, 1);
  }
}

/// A point at an end that lies off the level does not count as part of it, however uncertain the point is.
void trim(Segment& flat, const std::vector<LogPoint>& points, const LevelOptions& options) {
  const auto off = [&](std::size_t i) { return apart(points[i].y, flat.line.at(points[i].x), options); };
  while (flat.last > flat.first && off(flat.last)) --flat.last;
  while (flat.first < flat.last && off(flat.first)) ++flat.first;
}

/// A single bad point at the end of a curve does not make a boundary.
bool left_at_the_end(const std::vector<LogPoint>& points, const Segment& flat, const LevelOptions& options) {
  const auto rest = std::span(points).subspan(flat.last + 1);
  if (rest.size() < 2) return false;
  const double least = std::max(std::log1p(options.least_step), 4 * flat.line.noise);
  const auto above = [&](const LogPoint& p) { return p.y - flat.line.at(p.x) >= least; };
  const auto below = [&](const LogPoint& p) { return flat.line.at(p.x) - p.y >= least; };
  return std::ranges::all_of(rest.last(2), above) || std::ranges::all_of(rest.last(2), below);
}

Level level_of(const Curve& curve, const std::vector<LogPoint>& points, const Segment& flat, double astray) {
  Level level{points[flat.first].from, points[flat.last].from};
  level.slope = flat.line.slope;
  std::vector<double> values;
  for (std::size_t i = flat.first; i <= flat.last; ++i) {
    if (flat.line.cost(points[i]) > astray) {
      level.outliers.push_back(points[i].from);
    } else {
      values.push_back(curve.points[points[i].from].value);
    }
  }
  values = sorted_finite(std::move(values));
  level.value = median(values);
  const Interval interval = median_interval(values);
  level.low = interval.low;
  level.high = interval.high;
  for (const double v : values) level.residual = std::max(level.residual, std::abs(v - level.value) / level.value);
  return level;
}

}  // namespace

Levels find_levels(const Curve& curve, const LevelOptions& options) {
  const std::vector<LogPoint> points = log_points(curve);
  const Partition parts = partition(points, options.segment);
  std::vector<Segment> flats = parts.flats;
  merge(flats, points, parts.usual, options);
  for (Segment& flat : flats) trim(flat, points, options);

  Levels found;
  for (std::size_t i = 0; i < flats.size(); ++i) {
    const Segment* next = i + 1 < flats.size() ? &flats[i + 1] : nullptr;
    Segment flat = flats[i];
    if (next || left_at_the_end(points, flat, options)) {
      const Onset onset = find_onset(points, parts, flat, next, options.confidence);
      const std::size_t low = std::min(onset.low, flat.last);  // the onset may lie before points that were trimmed
      found.boundaries.push_back({curve.points[points[low].from].at, curve.points[points[onset.high].from].at,
                                  std::exp2(onset.best), onset.confidence});
      // Points beyond the onset are on a ramp, however little they rise. Points inside the bracket are on it only if
      // their rise is visible.
      const auto beyond = [&](std::size_t point) {
        return points[point].x > onset.best ||
               (point >= low &&
                std::abs(points[point].y - flat.line.at(points[point].x)) > std::log1p(options.least_rise));
      };
      while (flat.last > flat.first && beyond(flat.last)) --flat.last;
    }
    found.levels.push_back(level_of(curve, points, flat, parts.astray));
  }
  return found;
}

std::vector<double> refine(const Levels& levels, const Curve& curve, const RefineOptions& options) {
  std::set<double> known, wanted;
  for (const CurvePoint& p : curve.points) known.insert(p.at);
  for (const Boundary& b : levels.boundaries) {
    const double octaves = std::log2(b.high / b.low), narrow = std::log2(1 + options.tolerance);
    const double parts = std::min(std::ceil(octaves / narrow), static_cast<double>(options.most) + 1);
    for (int i = 1; i < parts; ++i) {
      const double at = b.low * std::exp2(octaves * i / parts);
      const double rounded = options.multiple > 0 ? std::round(at / options.multiple) * options.multiple : at;
      if (rounded > b.low && rounded < b.high && !known.contains(rounded)) wanted.insert(rounded);
    }
  }
  return {wanted.begin(), wanted.end()};
}

}  // namespace warpclock
