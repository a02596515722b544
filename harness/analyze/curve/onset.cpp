#include "analyze/curve/onset.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace warpclock {
namespace {

constexpr double wrong_shape = 0.05;
constexpr int parts_of_cell = 16;

struct View {
  const std::vector<LogPoint>& points;
  const Partition& partition;
  const Segment& flat;
  const Segment* next;
  std::size_t end;  ///< one past the last point to use
};

std::size_t end_of_view(const std::vector<LogPoint>& points, const Segment& flat, const Segment* next) {
  const std::size_t gap_end = next ? next->first : points.size();
  const auto within = [&](double octaves, std::size_t end) {
    std::size_t i = flat.last + 1;
    while (i < end && points[i].x - points[flat.last].x <= octaves) ++i;
    return i;
  };
  // Under noise a gentle ramp may be divided between two segments. If the points in between were not measured, only
  // the next segment shows the ramp.
  if (next && gap_end < flat.last + 3) {
    return std::max({gap_end, within(1, next->last + 1), std::min(flat.last + 3, next->last + 1)});
  }
  return std::max(within(2, gap_end), std::min(gap_end, flat.last + 5));
}

/// The costs of the points up to and including `i`, and from `i` on.
struct CliffCosts {
  std::vector<double> up_to, from;
};

CliffCosts cliff_costs(const View& view) {
  const std::size_t first = view.flat.first, count = view.end - first;
  CliffCosts costs{std::vector<double>(count), std::vector<double>(count + 1)};
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    costs.up_to[i] = sum += std::min(view.flat.line.cost(view.points[first + i]), view.partition.astray);
  }
  for (std::size_t i = count; i-- > 0;) {
    const double on_next = view.next ? view.next->line.cost(view.points[first + i]) : view.partition.loose;
    costs.from[i] = costs.from[i + 1] + std::min(on_next, view.partition.loose);
  }
  return costs;
}

/// Cost of all points for a knee at `onset`, with its best height and slope.
double knee_cost(const View& view, double onset) {
  const Trend& line = view.flat.line;
  const auto miss = [&](const LogPoint& p) { return p.x > onset ? 1 - std::exp2(onset - p.x) : 0; };
  const auto sigma = [&](const LogPoint& p, double relative) {
    return std::hypot(line.noise_of(p), wrong_shape * (1 - 1 / relative));
  };
  // value / level = height + rise * miss, by least squares.
  double s00 = 0, s01 = 0, s11 = 0, t0 = 0, t1 = 0;
  for (std::size_t i = view.flat.first; i < view.end; ++i) {
    const LogPoint& p = view.points[i];
    const double off = p.y - line.at(p.x), relative = std::exp(off), m = miss(p);
    if (m == 0 && std::abs(off) > 3 * line.noise_of(p)) continue;
    const double w = std::pow(relative * sigma(p, m == 0 ? 1 : relative), -2);
    s00 += w;
    s01 += w * m;
    s11 += w * m * m;
    t0 += w * relative;
    t1 += w * m * relative;
  }
  const double determinant = s00 * s11 - s01 * s01;
  if (!(determinant > 0)) return std::numeric_limits<double>::infinity();
  const double height = (t0 * s11 - t1 * s01) / determinant, rise = (s00 * t1 - s01 * t0) / determinant;

  double cost = std::log(static_cast<double>(view.points.size()));  // the rise is one more parameter than a cliff has
  for (std::size_t i = view.flat.first; i < view.end; ++i) {
    const LogPoint& p = view.points[i];
    const double expected = height + rise * miss(p);
    if (!(expected > 0)) return std::numeric_limits<double>::infinity();
    const double s = sigma(p, expected), z = (p.y - line.at(p.x) - std::log(expected)) / s;
    cost += std::min(std::log(s * std::sqrt(2 * std::numbers::pi)) + z * z / 2, view.partition.astray);
  }
  return cost;
}

/// The probability of each part of each cell between two neighbours. They add up to 1.
std::vector<double> posterior(const View& view) {
  const std::size_t first = view.flat.first, cells = view.end - first - 1;
  const CliffCosts cliffs = cliff_costs(view);
  std::vector<double> costs;
  costs.reserve(cells * parts_of_cell);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const double from = view.points[first + cell].x, to = view.points[first + cell + 1].x;
    const double width = std::log((to - from) / parts_of_cell);
    const double cliff = cliffs.up_to[cell] + cliffs.from[cell + 1];
    for (int part = 0; part < parts_of_cell; ++part) {
      double cost = cliff;
      // Any slope fits a single point after the knee.
      if (cell + 2 < cells + 1) {
        const double knee = knee_cost(view, std::lerp(from, to, (part + 0.5) / parts_of_cell));
        cost = std::min(cliff, knee) - std::log1p(std::exp(-std::abs(cliff - knee)));
      }
      costs.push_back(cost - width);
    }
  }
  const double least = *std::ranges::min_element(costs);
  for (double& c : costs) c = std::exp(least - c);
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  for (double& c : costs) c /= sum;
  return costs;
}

}  // namespace

Onset find_onset(const std::vector<LogPoint>& points, const Partition& partition, const Segment& flat,
                 const Segment* next, double wanted) {
  const View view{points, partition, flat, next, end_of_view(points, flat, next)};
  const std::vector<double> masses = posterior(view);
  std::vector<double> cells(masses.size() / parts_of_cell);
  for (std::size_t i = 0; i < masses.size(); ++i) cells[i / parts_of_cell] += masses[i];

  std::size_t part = 0;
  double below = 0;
  while (part + 1 < masses.size() && below + masses[part] < 0.5) below += masses[part++];
  const std::size_t cell = part / parts_of_cell;
  const double inside = static_cast<double>(part % parts_of_cell) + (0.5 - below) / masses[part];
  Onset found;
  found.best =
      std::lerp(points[flat.first + cell].x, points[flat.first + cell + 1].x, std::min(inside / parts_of_cell, 1.0));

  std::size_t low = cell, high = cell;
  found.confidence = cells[cell];
  while (found.confidence < wanted && high - low + 1 < cells.size()) {
    const double left = low > 0 ? cells[low - 1] : -1, right = high + 1 < cells.size() ? cells[high + 1] : -1;
    found.confidence += left > right ? cells[--low] : cells[++high];
  }
  found.low = flat.first + low;
  found.high = flat.first + high + 1;
  return found;
}

}  // namespace warpclock
