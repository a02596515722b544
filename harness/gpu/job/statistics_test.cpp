#include "gpu/job/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace warpclock {
namespace {

TEST(Statistics, QuantilesLieBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(median({1, 2, 3, 4}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, ATrimmedMeanIsDeafToAnEighthOnEachSide) {
  EXPECT_DOUBLE_EQ(trimmed_mean({1, 2, 3, 4, 5, 6, 7, 1000}), 4.5);
  EXPECT_DOUBLE_EQ(trimmed_mean({1, 2, 3, 4, 5, 6, 13}), 34.0 / 7) << "seven have no eighth";
  EXPECT_DOUBLE_EQ(trimmed_mean({7}), 7);
  EXPECT_EQ(trimmed_mean(std::vector<double>(9, 0.1)), 0.1) << "to the last bit";
  EXPECT_TRUE(std::isnan(trimmed_mean({})));
}

TEST(Statistics, ATrimmedMeansIntervalIsTwoStandardErrors) {
  const Interval of_eight = trimmed_mean_interval({-9, 1, 1, 1, 3, 3, 3, 99});
  const double error = 2 * std::sqrt(6.0 / 5 / 6);
  EXPECT_DOUBLE_EQ(of_eight.low, 2 - error);
  EXPECT_DOUBLE_EQ(of_eight.high, 2 + error);
  EXPECT_DOUBLE_EQ(trimmed_mean_interval({1, 2, 4}).low, 1) << "too few to say";
  EXPECT_DOUBLE_EQ(trimmed_mean_interval({1, 2, 4}).high, 4);
}

TEST(Statistics, AMidmeanLeavesOutTheOuterQuarters) {
  EXPECT_EQ(trimmed_mean({7}, 4), 7);
  EXPECT_EQ(trimmed_mean({1, 2, 9}, 4), 4);
  EXPECT_EQ(trimmed_mean({-1000, 3, 5, 1000}, 4), 4);
  EXPECT_EQ(trimmed_mean({1, 2, 3, 4, 5, 6, 7, 8}, 4), 4.5);
}

TEST(Statistics, SortsAndDropsWhatIsNoNumber) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sorted_finite({3, std::nan(""), 1, inf, -inf, 2}), (std::vector<double>{1, 2, 3}));
}

// Ranks from tables of the sign test: 15 values leave out 3 on each side, 6 none, 9 one.
TEST(Statistics, MedianIntervalHasTheRanksOfTheSignTest) {
  std::vector<double> values;
  for (int i = 1; i <= 15; ++i) values.push_back(i);
  EXPECT_DOUBLE_EQ(median_interval(values).low, 4);
  EXPECT_DOUBLE_EQ(median_interval(values).high, 12);
  EXPECT_DOUBLE_EQ(median_interval({1, 2, 3, 4, 5, 6, 7, 8, 9}).low, 2);
  EXPECT_DOUBLE_EQ(median_interval({1, 2, 3, 4, 5, 6}).low, 1);
  EXPECT_DOUBLE_EQ(median_interval({1, 2, 3}).high, 3);
  EXPECT_DOUBLE_EQ(median_interval({5}).low, 5);
  EXPECT_TRUE(std::isnan(median_interval({}).low));
}

TEST(Statistics, MedianIntervalCoversTheMedianOfASkewedPopulation) {
  std::mt19937 random(3);
  std::exponential_distribution<double> draw(1);
  int covered = 0;
  constexpr int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> values(15);
    for (double& v : values) v = draw(random);
    const Interval interval = median_interval(sorted_finite(values));
    if (interval.low <= std::log(2.0) && std::log(2.0) <= interval.high) ++covered;
  }
  EXPECT_GE(covered, rounds * 95 / 100);
  EXPECT_LE(covered, rounds * 98 / 100);
}

}  // namespace
}  // namespace warpclock
