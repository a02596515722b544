#include "analyze/curve/period.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "gpu/job/statistics.hpp"

namespace warpclock {
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
double scatter_of(const std::vector<CurvePoint>& points) {
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
  const double scatter = scatter_of(points), least = least_step * largest(points);
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
