#include "analyze/curve/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

constexpr double deviation_of_normal = 1.4826;  // standard deviation over median absolute deviation

/// The median of a few points spread evenly over the segment, which suffices as a start.
double rough_median_y(std::span<const LogPoint> points) {
  std::array<double, 15> values{};
  const std::size_t count = std::min(points.size(), values.size());
  for (std::size_t i = 0; i < count; ++i) values[i] = points[(2 * i + 1) * points.size() / (2 * count)].y;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(values.begin(), half, values.begin() + static_cast<std::ptrdiff_t>(count));
  return *half;
}

double middle_x(std::span<const LogPoint> points) { return points[points.size() / 2].x; }

Trend resistant(std::span<const LogPoint> points, double noise, double steepest) {
  Trend line{rough_median_y(points), middle_x(points), 0, noise};
  const std::size_t third = points.size() / 3;
  if (third == 0) return line;
  const auto left = points.first(third), right = points.last(third);
  const double slope = (rough_median_y(right) - rough_median_y(left)) / (middle_x(right) - middle_x(left));
  line.slope = std::clamp(slope, -steepest, steepest);
  return line;
}

/// Least squares over the points near `line`; `line` itself if they are too few.
Trend nearer(std::span<const LogPoint> points, Trend line, double steepest) {
  double weights = 0, sum_x = 0, sum_y = 0, near = 0;
  const auto weight = [&](const LogPoint& p) {
    const double noise = line.noise_of(p);
    return std::abs(p.y - line.at(p.x)) < 3 * noise ? 1 / (noise * noise) : 0;
  };
  for (const LogPoint& p : points) {
    const double w = weight(p);
    weights += w;
    sum_x += w * p.x;
    sum_y += w * p.y;
    near += w > 0 ? 1 : 0;
  }
  if (2 * near < static_cast<double>(points.size())) return line;
  Trend found = line;
  found.middle = sum_x / weights;
  found.level = sum_y / weights;
  double squares = 0, products = 0;
  for (const LogPoint& p : points) {
    const double w = weight(p), x = p.x - found.middle;
    squares += w * x * x;
    products += w * x * (p.y - found.level);
  }
  found.slope = squares > 0 ? std::clamp(products / squares, -steepest, steepest) : 0;
  return found;
}

}  // namespace

std::vector<LogPoint> log_points(const Curve& curve) {
  std::vector<LogPoint> points;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& p = curve.points[i];
    if (!(p.at > 0 && p.value > 0) || !std::isfinite(p.at) || !std::isfinite(p.value)) continue;
    const double x = std::log2(p.at);
    if (!points.empty() && x <= points.back().x) continue;
    const bool interval = p.low > 0 && p.high > p.low && std::isfinite(p.high);
    points.push_back({x, std::log(p.value), interval ? std::log(p.high / p.low) / (2 * 1.96) : 0, 0, i});
  }
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const LogPoint &before = points[i - 1], &after = points[i + 1];
    const double share = (points[i].x - before.x) / (after.x - before.x);
    points[i].off = std::abs(points[i].y - std::lerp(before.y, after.y, share)) /
                    std::sqrt(1 + share * share + (1 - share) * (1 - share));
  }
  return points;
}

double Trend::cost(const LogPoint& p) const {
  const double sigma = noise_of(p), z = (p.y - at(p.x)) / sigma;
  return std::log(sigma * std::sqrt(2 * std::numbers::pi)) + z * z / 2;
}

double Trend::cost(std::span<const LogPoint> points, double most) const {
  const double usual = std::log(noise * std::sqrt(2 * std::numbers::pi)), weight = 1 / (2 * noise * noise);
  double sum = 0;
  for (const LogPoint& p : points) {
    const double away = p.y - at(p.x);
    sum += std::min(p.doubt > noise ? cost(p) : usual + away * away * weight, most);
  }
  return sum;
}

double scatter(std::span<const LogPoint> points, double floor) {
  if (points.size() < 3) return floor;
  std::vector<double> steps, off;
  for (std::size_t i = 1; i < points.size(); ++i) steps.push_back(std::abs(points[i].y - points[i - 1].y));
  for (const LogPoint& p : points.subspan(1, points.size() - 2)) off.push_back(p.off);
  const double stepwise = median(sorted_finite(std::move(steps))) / std::numbers::sqrt2;
  return std::max(floor, deviation_of_normal * std::min(stepwise, median(sorted_finite(std::move(off)))));
}

double scatter_of(const std::vector<double>& off, double usual, double floor) {
  if (off.empty()) return usual;
  // Weighs the usual scatter as if it had been seen at this many further points.
  constexpr double seen = 4;
  const double own = deviation_of_normal * median(off), count = static_cast<double>(off.size());
  return std::max(floor, std::sqrt((seen * usual * usual + count * own * own) / (seen + count)));
}

Trend trend(std::span<const LogPoint> points, double noise, double steepest) {
  const Trend start = resistant(points, noise, steepest);
  return nearer(points, nearer(points, start, steepest), steepest);
}

}  // namespace warpclock
