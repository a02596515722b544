#pragma once

#include <cstddef>
#include <vector>

namespace warpclock {

/// Values that belong together, as the latencies of the SMs on one side of an L2.
struct ValueClass {
  double value = 0;             ///< median
  double low = 0, high = 0;     ///< its 95 % interval
  double least = 0, most = 0;   ///< of its values
  std::vector<std::size_t> of;  ///< indices of its values, ascending
  double share = 0;             ///< of the values that are numbers
};

/// A value that belongs to no class.
struct Outlier {
  std::size_t index = 0;
  double z = 0;  ///< off the nearest class, in standard deviations inside classes; negative: below it
};

struct Spread {
  std::vector<ValueClass> classes;  ///< ascending
  std::vector<Outlier> outliers;    ///< by index
  double noise = 0;                 ///< standard deviation inside classes, by their median deviations
  double confidence = 0;            ///< probability of so many classes among 1 to 5
};

/// Into how many classes a set of values falls. For each number of classes the ascending values are cut where the
/// squares inside are least (exact, by dynamic programming), into classes of at least three and a twentieth of the
/// values. The number is that of the least cost: the likelihood of values that scatter alike inside each class, with
/// the class of each value to be told as well (without that, halving one normal distribution would look like a gain),
/// and the Bayesian information criterion's price for two numbers a class; and between
/// two classes there must be a valley, with at most 15 % of the values between their medians in the middle third, or a
/// long tail would be a class. What lies more than six deviations off every
/// class is an outlier and is left out before the cut is made again. Values that are no numbers are passed over.
[[nodiscard]] Spread find_spread(const std::vector<double>& values);

}  // namespace warpclock
