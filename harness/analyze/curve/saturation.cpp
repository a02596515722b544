#include "analyze/curve/saturation.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

constexpr double least_scatter = 0.001;
constexpr double top_share = 0.02;
constexpr double flat_per_octave = 0.01;

/// The highest value that two neighbours both reach.
double top_of(const std::vector<LogPoint>& points) {
  double top = std::min(points[0].y, points[1].y);
  for (std::size_t i = 1; i < points.size(); ++i) top = std::max(top, std::min(points[i - 1].y, points[i].y));
  return top;
}

bool rises_at_the_end(const std::vector<LogPoint>& points, double noise) {
  std::size_t first = points.size() - 2;
  while (first > 0 && points.back().x - points[first - 1].x <= 1) --first;
  const auto end = std::span(points).subspan(first);
  const Trend line = trend(end, noise);
  double squares = 0;
  for (const LogPoint& p : end) squares += (p.x - line.middle) * (p.x - line.middle);
  return line.slope - 3 * noise / std::sqrt(squares) > flat_per_octave;
}

/// A point of a rising fit, and the standard deviation of the mean that it represents.
struct Fitted {
  double y = 0, doubt = 0;
};

std::vector<Fitted> rising_fit(const std::vector<LogPoint>& points, std::size_t count, double noise) {
  struct Block {
    double sum, doubt;
    std::size_t size;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back({points[i].y, std::max(noise, points[i].doubt), 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back() = {blocks.back().sum + last.sum, std::max(blocks.back().doubt, last.doubt),
                       blocks.back().size + last.size};
    }
  }
  std::vector<Fitted> fit;
  for (const Block& b : blocks) fit.insert(fit.end(), b.size, {b.mean(), b.doubt / std::sqrt(double(b.size))});
  return fit;
}

/// Index of the first point whose fit, raised by `deviations` standard deviations, reaches `y`; the last one if none
/// does.
std::size_t first_at(const std::vector<Fitted>& fit, double y, double deviations) {
  for (std::size_t i = 0; i < fit.size(); ++i) {
    if (fit[i].y + deviations * fit[i].doubt >= y) return i;
  }
  return fit.size() - 1;
}

Reach reach(const Curve& curve, const std::vector<LogPoint>& points, const std::vector<Fitted>& fit, double y) {
  const auto at = [&](std::size_t i) { return curve.points[points[i].from].at; };
  const std::size_t early = first_at(fit, y, 1.96), middle = first_at(fit, y, 0), late = first_at(fit, y, -1.96);
  Reach out{at(middle), early > 0 ? at(early - 1) : 0, at(late)};
  if (middle > 0) {
    const double below = std::exp(fit[middle - 1].y), above = std::exp(fit[middle].y);
    out.best = std::lerp(at(middle - 1), at(middle), std::clamp((std::exp(y) - below) / (above - below), 0.0, 1.0));
  }
  return out;
}

}  // namespace

std::optional<Saturation> find_saturation(const Curve& curve) {
  const std::vector<LogPoint> points = log_points(curve);
  if (points.size() < 3) return std::nullopt;
  // A short curve is mostly ramp, so its scatter would be that of the ramp.
  const double noise = points.size() < 10 ? least_scatter : std::min(scatter(points, least_scatter), top_share);
  const double least = top_of(points) - std::max(-std::log1p(-top_share), 3 * noise);

  std::vector<double> top;
  std::size_t last = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool lonely = (i == 0 || points[i - 1].y < least) && (i + 1 == points.size() || points[i + 1].y < least);
    if (points[i].y < least || lonely) continue;
    top.push_back(curve.points[points[i].from].value);
    last = i;
  }
  Saturation found;
  top = sorted_finite(std::move(top));
  found.points = top.size();
  found.rising = rises_at_the_end(points, noise);
  if (top.empty()) {
    found.plateau = found.low = found.high = std::ranges::max(curve.points, {}, &CurvePoint::value).value;
    return found;
  }
  found.plateau = median(top);
  const Interval interval = median_interval(top);
  found.low = interval.low;
  found.high = interval.high;
  if (!found.saturated()) return found;
  const std::vector<Fitted> fit = rising_fit(points, last + 1, noise);
  found.at90 = reach(curve, points, fit, std::log(0.90 * found.plateau));
  found.at99 = reach(curve, points, fit, std::log(0.99 * found.plateau));
  return found;
}

std::optional<Plateau> plateau(const std::vector<PlateauPoint>& curve) {
  std::vector<PlateauPoint> points;
  for (const PlateauPoint& p : curve) {
    if (std::isfinite(p.x) && std::isfinite(p.y)) points.push_back(p);
  }
  if (points.empty()) return std::nullopt;
  const double highest = std::ranges::max(points, {}, &PlateauPoint::y).y;
  if (!(highest > 0)) return std::nullopt;

  std::vector<double> level;
  for (const PlateauPoint& p : points) {
    if (p.y >= plateau_share * highest) level.push_back(p.y);
  }
  Plateau found;
  found.points = level.size();
  found.level = median(sorted_finite(std::move(level)));
  found.reached_at = std::ranges::max(points, {}, &PlateauPoint::y).x;
  for (const PlateauPoint& p : points) {
    if (p.y >= plateau_share * found.level) found.reached_at = std::min(found.reached_at, p.x);
  }
  return found;
}

}  // namespace warpclock
