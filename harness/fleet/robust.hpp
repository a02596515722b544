#pragma once

#include <cstddef>
#include <vector>

namespace warpclock {

/// The median: of an even number, the mean of the middle two. 0 for none.
[[nodiscard]] double median_of(std::vector<double> values);

/// A standard deviation that outliers do not change, and how well it is known.
struct RobustSpread {
  double sigma = 0;  ///< consistent with the standard deviation of a normal distribution; 0 if over half are equal
  std::size_t degrees = 0;  ///< degrees of freedom of a standard deviation that is as certain
};

/// Up to 500 values: Qn, a quantile of all pairwise distances (Rousseeuw and Croux, "Alternatives to the Median
/// Absolute Deviation", 1993), with its correction for few values; 82 % as efficient as the standard deviation. More
/// values: the median absolute deviation, 37 % as efficient, which takes linear time. Both withstand outliers up to
/// half of the values.
[[nodiscard]] RobustSpread robust_spread(const std::vector<double>& values, double median);

/// The distance in standard deviations that a value exceeds, on either side, with probability `alpha`, if the standard
/// deviation is known with `degrees` of freedom (Student's t; Abramowitz and Stegun 26.7.3 and 26.7.4). `alpha` is
/// above 1e-13, and `degrees` above 0.
[[nodiscard]] double two_sided_quantile(double alpha, std::size_t degrees);

}  // namespace warpclock
