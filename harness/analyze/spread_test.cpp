#include "analyze/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace warpclock {
namespace {

/// Latencies of 132 SMs; SM i is in class i % levels.size().
std::vector<double> map_of(const std::vector<double>& levels, double noise, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::size_t sm = 0; sm < 132; ++sm) values.push_back(levels[sm % levels.size()] * (1 + noise * normal(random)));
  return values;
}

TEST(Spread, FindsTheClassesAndWhoIsInThem) {
  for (const std::vector<double>& levels :
       {std::vector<double>{262}, {210, 262}, {210, 236, 262}, {200, 220, 240, 260}}) {
    for (const double noise : {0.0, 0.002, 0.01}) {
      int right = 0;
      constexpr int rounds = 30;
      for (int seed = 0; seed < rounds; ++seed) {
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        const Spread found = find_spread(map_of(levels, noise, random));
        if (found.classes.size() != levels.size()) continue;
        ++right;
        for (std::size_t i = 0; i < levels.size(); ++i) {
          EXPECT_NEAR(found.classes[i].value / levels[i], 1, 0.002 + noise / 2);
          EXPECT_NEAR(found.classes[i].share, 1.0 / static_cast<double>(levels.size()), 0.03);
          EXPECT_LE(found.classes[i].low, found.classes[i].value);
          EXPECT_GE(found.classes[i].high, found.classes[i].value);
        }
        EXPECT_EQ(found.classes[0].of[1], levels.size());
        EXPECT_GT(found.confidence, 0.5);
      }
      EXPECT_GE(right, rounds - 1) << levels.size() << " at " << noise;
    }
  }
}

TEST(Spread, OneDistributionIsOneClassInAllButOneOfAHundred) {
  std::mt19937_64 random(51);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::exponential_distribution<double> up(1);
  int invented = 0, maps = 0;
  for (int round = 0; round < 200; ++round) {
    for (int shape = 0; shape < 3; ++shape) {
      std::vector<double> values;
      for (int sm = 0; sm < 132; ++sm) {
        values.push_back(262 * (1 + 0.01 * (shape == 0 ? normal(random) : shape == 1 ? uniform(random) : up(random))));
      }
      ++maps;
      invented += find_spread(values).classes.size() != 1;
    }
  }
  EXPECT_LE(invented, maps / 100) << "of " << maps;
}

TEST(Spread, NamesOutliersByIndexWithTheirDistance) {
  for (std::size_t odd = 0; odd < 132; odd += 7) {
    std::mt19937_64 random(52);
    std::vector<double> values = map_of({210, 262}, 0.002, random);
    values[odd] = 300;
    values[(odd + 40) % 132] = 180;
    const Spread found = find_spread(values);
    EXPECT_EQ(found.classes.size(), 2u) << odd;
    ASSERT_EQ(found.outliers.size(), 2u) << odd;
    const Outlier& high = *std::ranges::find(found.outliers, odd, &Outlier::index);
    EXPECT_NEAR(high.z, (300 - 262) / (0.002 * 236), 25);
    EXPECT_TRUE(std::ranges::any_of(found.outliers, [](const Outlier& o) { return o.z < -20; }));
  }
}

TEST(Spread, ASmallClassIsOne) {
  std::mt19937_64 random(53);
  std::vector<double> values = map_of({262}, 0.002, random);
  for (std::size_t sm = 0; sm < 10; ++sm) values[sm * 13] += 20;
  const Spread found = find_spread(values);
  ASSERT_EQ(found.classes.size(), 2u);
  EXPECT_EQ(found.classes[1].of.size(), 10u);
  EXPECT_TRUE(found.outliers.empty());
}

TEST(Spread, TakesWhatItGets) {
  EXPECT_TRUE(find_spread({}).classes.empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(find_spread({nan, std::numeric_limits<double>::infinity()}).classes.empty());
  const Spread one = find_spread({nan, 7});
  ASSERT_EQ(one.classes.size(), 1u);
  EXPECT_EQ(one.classes[0].of, std::vector<std::size_t>{1});
  EXPECT_EQ(one.classes[0].share, 1);
  const Spread zeros = find_spread({0, 0, 0, 0, 0, 0, 0});
  ASSERT_EQ(zeros.classes.size(), 1u);
  EXPECT_TRUE(zeros.outliers.empty());
}

}  // namespace
}  // namespace warpclock
