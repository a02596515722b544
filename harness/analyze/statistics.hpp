#pragma once

#include <vector>

namespace warpclock {

struct Interval {
  double low = 0, high = 0;
};

/// The values that are numbers, ascending.
[[nodiscard]] std::vector<double> sorted_finite(std::vector<double> values);

/// Of ascending values: linear between neighbours (Hyndman and Fan's type 7, what R and NumPy do by default). NaN for
/// none. `q` from 0 to 1.
[[nodiscard]] double quantile(const std::vector<double>& ascending, double q);
[[nodiscard]] double median(const std::vector<double>& ascending);

/// Mean of ascending values without the lowest and the highest eighth (rounded down). NaN for none.
[[nodiscard]] double trimmed_mean(const std::vector<double>& ascending);

/// Two standard errors around it; fewer than six values give their whole range. NaN for none.
[[nodiscard]] Interval trimmed_mean_interval(const std::vector<double>& ascending);

/// Median absolute deviation from the median, unscaled. NaN for none.
[[nodiscard]] double median_deviation(const std::vector<double>& ascending);

/// Where the median of the population lies with 95 % confidence, whatever the distribution: the order statistics that a
/// fair coin puts on both sides of the median (sign test). Fewer than six values cannot say that much; they give
/// their whole range. NaN for none.
[[nodiscard]] Interval median_interval(const std::vector<double>& ascending);

}  // namespace warpclock
