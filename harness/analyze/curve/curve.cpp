#include "analyze/curve/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/lookup.hpp"

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

namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr std::size_t fewest = 8;
constexpr double least_share = 0.5;
constexpr double least_over_chance = 2;
constexpr double least_side = 0.1;
constexpr int rounds = 100;  // of the power method; with sides, the ratio of singular values is far from 1

double mean(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double v : values) {
    sum += v;
    count += v != 0 ? 1 : 0;
  }
  return count > 0 ? sum / count : 0;
}

std::vector<double> column(const Matrix& rows, std::size_t j) {
  return mapped(rows, [&](const auto& row) { return row[j]; });
}

/// What remains after the means of rows and columns are subtracted; 0 if a value is missing.
Matrix interaction(const Matrix& rows) {
  std::vector<double> row_means, column_means;
  for (const auto& row : rows) row_means.push_back(mean(row));
  for (std::size_t j = 0; j < rows.front().size(); ++j) column_means.push_back(mean(column(rows, j)));
  const double all = mean(row_means);
  Matrix left = rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      left[i][j] = rows[i][j] == 0 ? 0 : rows[i][j] - row_means[i] - column_means[j] + all;
    }
  }
  return left;
}

double normalize(std::vector<double>& values) {
  const double length = std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
  if (length > 0) std::ranges::for_each(values, [&](double& v) { v /= length; });
  return length;
}

struct Singular {
  std::vector<double> left, right;
  double value = 0;
};

Singular first_singular(const Matrix& m) {
  Singular s;
  // The row of the largest norm is not orthogonal to the singular vector, as an arbitrary start might be.
  const auto norm = [](const std::vector<double>& row) {
    return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  };
  s.right = *std::ranges::max_element(m, {}, norm);
  normalize(s.right);
  for (int round = 0; round < rounds; ++round) {
    s.left.clear();
    for (const auto& row : m) s.left.push_back(std::inner_product(row.begin(), row.end(), s.right.begin(), 0.0));
    normalize(s.left);
    std::ranges::fill(s.right, 0.0);
    for (std::size_t i = 0; i < m.size(); ++i) {
      for (std::size_t j = 0; j < s.right.size(); ++j) s.right[j] += m[i][j] * s.left[i];
    }
    s.value = normalize(s.right);
  }
  return s;
}

bool is_balanced(const std::vector<bool>& sides) {
  const auto ones = static_cast<double>(std::ranges::count(sides, true));
  const auto size = static_cast<double>(sides.size());
  return ones >= least_side * size && ones <= (1 - least_side) * size;
}

}  // namespace

std::optional<Sides> find_sides(const Matrix& rows) {
  if (rows.size() < fewest || rows.front().size() < fewest) return std::nullopt;
  if (std::ranges::any_of(rows, [&](const auto& row) { return row.size() != rows.front().size(); }))
    return std::nullopt;
  const Matrix left = interaction(rows);
  double variance = 0;
  for (const auto& row : left) variance += std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  if (!(variance > 0)) return std::nullopt;
  const Singular s = first_singular(left);
  Sides sides;
  sides.share = s.value * s.value / variance;
  const double by_chance = std::pow(
      1 / std::sqrt(static_cast<double>(rows.size())) + 1 / std::sqrt(static_cast<double>(rows.front().size())), 2);
  if (!(sides.share >= std::max(least_share, least_over_chance * by_chance))) return std::nullopt;
  // The product of the two components is added to a value, and near values are lower. So the components of a pair on
  // one side have opposite signs.
  const bool first = s.right.front() > 0;
  for (const double v : s.right) sides.column_side.push_back((v > 0) != first);
  for (const double v : s.left) sides.row_side.push_back((v > 0) == first);
  if (!is_balanced(sides.row_side) || !is_balanced(sides.column_side)) return std::nullopt;
  std::vector<double> near, far;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      if (rows[i][j] != 0) (sides.row_side[i] == sides.column_side[j] ? near : far).push_back(rows[i][j]);
    }
  }
  if (near.empty() || far.empty()) return std::nullopt;
  near = sorted_finite(std::move(near));
  far = sorted_finite(std::move(far));
  sides.near = median(near);
  sides.far = median(far);
  sides.near_interval = median_interval(near);
  sides.far_interval = median_interval(far);
  return sides;
}

namespace {

constexpr double resolution = 0.001;
constexpr double most_deviations = 5;  // the largest distance that a point off its run counts for

std::vector<CurvePoint> numbers_of(const Curve& curve) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& p : curve.points) {
    if (!std::isfinite(p.at) || !std::isfinite(p.value)) continue;
    if (points.empty() || p.at > points.back().at) points.push_back(p);
  }
  return points;
}

std::vector<double> values_of(const std::vector<CurvePoint>& points, std::size_t first, std::size_t last) {
  std::vector<double> values;
  for (std::size_t i = first; i <= last; ++i) values.push_back(points[i].value);
  return sorted_finite(std::move(values));
}

double largest(const std::vector<CurvePoint>& points) {
  double most = 0;
  for (const CurvePoint& p : points) most = std::max(most, std::abs(p.value));
  return most;
}

/// Standard deviation of a point, estimated from the steps between neighbours.
double step_scatter(const std::vector<CurvePoint>& points) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < points.size(); ++i) steps.push_back(std::abs(points[i].value - points[i - 1].value));
  return std::max(1.4826 * median(sorted_finite(std::move(steps))) / std::numbers::sqrt2, resolution * largest(points));
}

double off_run(double value, double level, double scatter) {
  return std::min(std::abs(value - level) / scatter, most_deviations);
}

/// The first point of each run.
std::vector<std::size_t> runs_of(const std::vector<CurvePoint>& points, double scatter) {
  const std::size_t count = points.size();
  const double price = 2 * std::log(static_cast<double>(count));
  std::vector<double> least(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(count + 1);
  least[0] = 0;
  for (std::size_t end = 2; end <= count; ++end) {
    std::vector<double> values{points[end - 1].value};
    for (std::size_t first = end - 1; first-- > 0;) {
      values.insert(std::ranges::upper_bound(values, points[first].value), points[first].value);
      const double level = median(values);
      double cost = least[first] + price;
      for (const double v : values) cost += off_run(v, level, scatter);
      if (cost < least[end]) {
        least[end] = cost;
        from[end] = first;
      }
    }
  }
  std::vector<std::size_t> firsts;
  for (std::size_t end = count; end > 0; end = from[end]) firsts.push_back(from[end]);
  std::ranges::reverse(firsts);
  return firsts;
}

/// The probability that `at` is the first point of the second run, among all positions between `first` and `last`.
double confidence_of(const std::vector<CurvePoint>& points, std::size_t first, std::size_t at, std::size_t last,
                     const Step& step, double scatter) {
  // Moving the step by one point changes the cost only by that point.
  std::vector<double> costs(last - first + 2);
  for (std::size_t i = first; i <= last; ++i) {
    const double gain = off_run(points[i].value, step.before, scatter) - off_run(points[i].value, step.after, scatter);
    costs[i - first + 1] = costs[i - first] + gain;
  }
  double sum = 0;
  for (const double cost : costs) sum += std::exp(costs[at - first] - cost);
  return 1 / sum;
}

/// Minus the log likelihood of a period of `period` points, plus the price of its phases.
double cost_of(const std::vector<CurvePoint>& points, std::size_t period, double least, double astray) {
  std::vector<double> off;
  for (std::size_t phase = 0; phase < period; ++phase) {
    std::vector<double> values;
    for (std::size_t i = phase; i < points.size(); i += period) values.push_back(points[i].value);
    values = sorted_finite(std::move(values));
    const double level = median(values);
    for (const double v : values) off.push_back(std::abs(v - level));
  }
  std::ranges::sort(off);
  // The width is estimated from all but the largest tenth; these hold 67 % of the deviations of a Laplace distribution.
  const double count = static_cast<double>(points.size()), phases = static_cast<double>(period);
  const double smaller = std::accumulate(off.begin(), off.end() - std::ssize(off) / 10, 0.0);
  const double width = std::max(smaller / (0.67 * (count - phases)), least);
  double cost = phases * std::log(count) / 2;
  for (const double o : off) cost += std::min(std::log(2 * width) + o / width, astray);
  return cost;
}

}  // namespace

std::vector<Step> find_steps(const Curve& curve, double least_step) {
  const std::vector<CurvePoint> points = numbers_of(curve);
  if (points.size() < 4) return {};
  const double scatter = step_scatter(points), least = least_step * largest(points);
  const std::vector<std::size_t> firsts = runs_of(points, scatter);
  std::vector<Step> steps;
  for (std::size_t run = 1; run < firsts.size(); ++run) {
    const std::size_t first = firsts[run - 1], at = firsts[run];
    const std::size_t last = (run + 1 < firsts.size() ? firsts[run + 1] : points.size()) - 1;
    Step step{points[at - 1].at, points[at].at, median(values_of(points, first, at - 1)),
              median(values_of(points, at, last))};
    if (std::abs(step.after - step.before) < least) continue;
    step.confidence = confidence_of(points, first, at, last, step, scatter);
    steps.push_back(step);
  }
  return steps;
}

std::optional<Period> find_period(const Curve& curve) {
  const std::vector<CurvePoint> points = numbers_of(curve);
  if (points.size() < 6) return std::nullopt;
  const double spacing = (points.back().at - points.front().at) / static_cast<double>(points.size() - 1);
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (std::abs(points[i].at - points[i - 1].at - spacing) > 1e-6 * spacing) return std::nullopt;
  }
  std::vector<double> costs;  // costs[i] is for a period of i + 1 points; a period of one point means none
  const double least = resolution * largest(points);
  if (!(least > 0)) return Period{0, 0, 1};  // all values are zero
  const auto [lowest, highest] = std::ranges::minmax(points, {}, &CurvePoint::value);
  // So rare that a place at which only every other period differs is not taken for a bad point.
  const double astray = std::log(1e4 * std::max(highest.value - lowest.value, least));
  const double claim = 2 * std::log(static_cast<double>(points.size()));
  for (std::size_t period = 1; period <= points.size() / 2; ++period) {
    costs.push_back(cost_of(points, period, least, astray) + (period > 1 ? claim : 0));
  }
  const auto best = std::ranges::min_element(costs);
  const auto found = static_cast<std::size_t>(best - costs.begin()) + 1;
  double others = 0;
  for (std::size_t period = 1; period <= costs.size(); ++period) {
    if (period % found != 0 || (found == 1 && period != 1)) others += std::exp(*best - costs[period - 1]);
  }
  const double confidence = 1 / (1 + others);
  if (found == 1) return Period{0, 0, confidence};
  return Period{spacing * static_cast<double>(found), found, confidence};
}

}  // namespace warpclock
