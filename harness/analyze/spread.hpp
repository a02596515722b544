#pragma once

#include <cstddef>
#include <vector>

namespace warpclock {

/// Values that belong together, such as the latencies of the SMs on one side of L2.
struct ValueClass {
  double value = 0;             ///< median
  double low = 0, high = 0;     ///< its 95 % interval
  double least = 0, most = 0;   ///< smallest and largest value
  std::vector<std::size_t> of;  ///< indices of its values, ascending
  double share = 0;             ///< share of all values that are numbers
};

/// A value that belongs to no class.
struct Outlier {
  std::size_t index = 0;
  double z = 0;  ///< distance from the nearest class, in standard deviations inside classes; negative if below it
};

struct Spread {
  std::vector<ValueClass> classes;  ///< ascending
  std::vector<Outlier> outliers;    ///< ascending by index
  double noise = 0;                 ///< standard deviation inside classes, from their median deviations
  double confidence = 0;            ///< probability of this number of classes among 1 to 5
};

/// The classes into which a set of values falls. For each number of classes, the ascending values are cut so that the
/// sum of squares inside the classes is smallest (exact, by dynamic programming). A class has at least three values and
/// a twentieth of all. The number of classes is that of the least cost. The cost is the negative log likelihood of
/// values with the same scatter in each class, including the choice of the class of each value (otherwise halving a
/// normal distribution would look like a gain), plus the price of two parameters for each class in the Bayesian
/// information criterion. Between two classes there must be a valley, with at most 15 % of the values between their
/// medians in the middle third; otherwise a long tail would be a class. Values more than six standard deviations away
/// from every class are outliers; they are left out and the cut is repeated. Values that are not numbers are ignored.
[[nodiscard]] Spread find_spread(const std::vector<double>& values);

}  // namespace warpclock
