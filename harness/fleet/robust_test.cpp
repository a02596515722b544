#include <gtest/gtest.h>

#include <random>

#include "fleet/fleet.hpp"

namespace warpclock {
namespace {

TEST(Robust, MedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median_of({}), 0);
}

// 50 and 2,000 values: both estimators. The tolerance is four times their standard error.
TEST(Robust, SpreadOfANormalDistributionIsItsStandardDeviation) {
  for (const auto& [count, tolerance] : {std::pair(50, 0.45), std::pair(499, 0.15), std::pair(5000, 0.07)}) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(100, 1);
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(normal(random));
    const RobustSpread clean = robust_spread(values, median_of(values));
    EXPECT_NEAR(clean.sigma, 1, tolerance) << count;
    // A tenth of wild values does not carry it away.
    for (int i = 0; i < count / 10; ++i) values[static_cast<std::size_t>(i)] = 1e6 + i;
    EXPECT_NEAR(robust_spread(values, median_of(values)).sigma, clean.sigma, 0.4) << count;
  }
}

// Rousseeuw and Croux 1993: the sixth of the fifteen distances of six values; 2.2219 and the correction for six.
TEST(Robust, SpreadOfFewValuesIsAQuantileOfTheirDistances) {
  EXPECT_NEAR(robust_spread({1, 2, 4, 8, 16, 32}, 6).sigma, 2.2219 * 0.611 * 7, 1e-9);
  EXPECT_EQ(robust_spread({5, 5, 5, 5, 9}, 5).sigma, 0);
  EXPECT_EQ(robust_spread({5}, 5).degrees, 0U);
}

// Tables of Student's t and of the normal distribution.
TEST(Robust, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(two_sided_quantile(0.05, 1), 12.706, 1e-3);
  EXPECT_NEAR(two_sided_quantile(0.05, 2), 4.3027, 1e-4);
  EXPECT_NEAR(two_sided_quantile(0.05, 5), 2.5706, 1e-4);
  EXPECT_NEAR(two_sided_quantile(0.01, 10), 3.1693, 1e-4);
  EXPECT_NEAR(two_sided_quantile(0.001, 31), 3.6335, 1e-3);
  EXPECT_NEAR(two_sided_quantile(0.05, 100000), 1.95996, 1e-4);
  EXPECT_NEAR(two_sided_quantile(1e-9, 100000), 6.1094, 1e-3);
  EXPECT_NEAR(two_sided_quantile(1e-9, 2000), 6.1094, 0.05);
}

}  // namespace
}  // namespace warpclock
