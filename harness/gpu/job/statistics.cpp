#include "gpu/job/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace warpclock {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// How many values may be left out on each side of the interval: the largest k with P(at most k of `count` coins fall
/// on one side) <= 2.5 %.
std::size_t left_out(std::size_t count) {
  double tail = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double n = static_cast<double>(count), heads = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(heads + 1) - std::lgamma(n - heads + 1) - n * std::log(2.0));
    if (tail > 0.025) return k == 0 ? 0 : k - 1;
  }
  return 0;
}

std::span<const double> trimmed(const std::vector<double>& ascending, std::size_t parts) {
  const std::size_t cut = ascending.size() / parts;
  return std::span(ascending).subspan(cut, ascending.size() - 2 * cut);
}

}  // namespace

std::vector<double> sorted_finite(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  std::ranges::sort(values);
  return values;
}

double quantile(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return nan;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], position - static_cast<double>(below));
}

double median(const std::vector<double>& ascending) { return quantile(ascending, 0.5); }

double trimmed_mean(const std::vector<double>& ascending, std::size_t parts) {
  const std::span<const double> kept = trimmed(ascending, parts);
  if (kept.empty()) return nan;
  // Relative to the first value, so that the mean of equal values is exact to the last bit.
  double sum = 0;
  for (const double value : kept) sum += value - kept.front();
  return kept.front() + sum / static_cast<double>(kept.size());
}

std::vector<double> medians_of_places(const std::vector<std::vector<double>>& launches) {
  std::vector<double> places;
  for (std::size_t place = 0; place < launches.front().size(); ++place) {
    std::vector<double> values;
    for (const auto& launch : launches) {
      if (launch[place] > 0) values.push_back(launch[place]);
    }
    places.push_back(values.empty() ? 0 : median(sorted_finite(std::move(values))));
  }
  return places;
}

Interval trimmed_mean_interval(const std::vector<double>& ascending) {
  if (ascending.size() < 6) return median_interval(ascending);
  const std::span<const double> kept = trimmed(ascending, 8);
  const double mean = trimmed_mean(ascending), count = static_cast<double>(kept.size());
  double squares = 0;
  for (const double value : kept) squares += (value - mean) * (value - mean);
  const double error = 2 * std::sqrt(squares / (count - 1) / count);
  return {mean - error, mean + error};
}

Interval median_interval(const std::vector<double>& ascending) {
  if (ascending.empty()) return {nan, nan};
  const std::size_t skip = left_out(ascending.size());
  return {ascending[skip], ascending[ascending.size() - 1 - skip]};
}

}  // namespace warpclock
