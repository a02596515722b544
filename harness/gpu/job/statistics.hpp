#pragma once

#include <cstddef>
#include <vector>

namespace warpclock {

struct Interval {
  double low = 0, high = 0;
};

/// The values that are numbers, ascending.
[[nodiscard]] std::vector<double> sorted_finite(std::vector<double> values);

/// A quantile of ascending values, linear between neighbours (Hyndman and Fan's type 7, the default of R and NumPy).
/// NaN for no values. `q` is from 0 to 1.
[[nodiscard]] double quantile(const std::vector<double>& ascending, double q);
[[nodiscard]] double median(const std::vector<double>& ascending);

/// The median of each place over the launches in which it reported more than 0; 0 if it never did.
[[nodiscard]] std::vector<double> medians_of_places(const std::vector<std::vector<double>>& launches);

/// Mean of ascending values without the lowest and the highest of so many parts (rounded down): 8 leaves out an eighth
/// on each side, 4 gives the midmean. NaN for no values.
[[nodiscard]] double trimmed_mean(const std::vector<double>& ascending, std::size_t parts = 8);

/// Two standard errors around the mean trimmed by an eighth; the whole range for fewer than six values. NaN for no
/// values.
[[nodiscard]] Interval trimmed_mean_interval(const std::vector<double>& ascending);

/// The 95 % confidence interval of the population's median, for any distribution: the order statistics that a fair coin
/// puts on both sides of the median (sign test). The whole range for fewer than six values, which do not suffice. NaN
/// for no values.
[[nodiscard]] Interval median_interval(const std::vector<double>& ascending);

}  // namespace warpclock
