#include "fleet/robust.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace warpclock {
namespace {

/// Above this, all pairs are too many.
constexpr std::size_t most_for_pairs = 500;
/// Above this, the difference from the normal distribution is below one in a thousand.
constexpr std::size_t nearly_normal = 2000;

double nth(std::vector<double>& values, std::size_t n) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(n);
  std::ranges::nth_element(values, at);
  return *at;
}

/// Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale", 1992.
double qn_correction(std::size_t n) {
  constexpr std::array<double, 10> few = {1, 1, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
  const auto size = static_cast<double>(n);
  if (n < few.size()) return few[n];
  return n % 2 == 1 ? size / (size + 1.4) : size / (size + 3.8);
}

double qn(const std::vector<double>& values) {
  const std::size_t n = values.size(), half = n / 2 + 1, rank = half * (half - 1) / 2;
  std::vector<double> distances;
  distances.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) distances.push_back(std::abs(values[i] - values[j]));
  return 2.2219 * qn_correction(n) * nth(distances, rank - 1);
}

double mad(std::vector<double> values, double median) {
  for (double& value : values) value = std::abs(value - median);
  return 1.4826 * median_of(std::move(values));
}

/// The probability that |t| is larger than this.
double beyond(double t, std::size_t degrees) {
  if (degrees > nearly_normal) return std::erfc(t / std::numbers::sqrt2);
  const auto nu = static_cast<double>(degrees);
  const double theta = std::atan(t / std::sqrt(nu)), square = std::cos(theta) * std::cos(theta);
  const bool odd = degrees % 2 == 1;
  double term = odd ? std::cos(theta) : 1, sum = degrees == 1 ? 0 : term;
  for (std::size_t k = odd ? 3 : 2; k + 2 <= degrees; k += 2) {
    const auto step = static_cast<double>(k);
    term *= square * (step - 1) / step;
    sum += term;
  }
  if (!odd) return 1 - std::sin(theta) * sum;
  return 1 - 2 / std::numbers::pi * (theta + std::sin(theta) * sum);
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t middle = values.size() / 2;
  const double upper = nth(values, middle);
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

RobustSpread robust_spread(const std::vector<double>& values, double median) {
  if (values.size() < 2) return {};
  const auto free = static_cast<double>(values.size() - 1);
  const bool few = values.size() <= most_for_pairs;
  const double sigma = few ? qn(values) : mad(values, median);
  return {sigma, std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(free * (few ? 0.82 : 0.37))))};
}

double two_sided_quantile(double alpha, std::size_t degrees) {
  double low = 0, high = 1;
  while (beyond(high, degrees) > alpha && high < 1e12) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (beyond(middle, degrees) > alpha ? low : high) = middle;
  }
  return high;
}

}  // namespace warpclock
