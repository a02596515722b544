#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyze/curve/levels.hpp"
#include "analyze/testing/synthetic_curve.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

constexpr double top = 4800, knee = 40 * kib;

/// Little's law: bytes in flight divided by the latency, up to the maximum of the memory.
double little(double at) { return top * std::min(1.0, at / knee); }

TEST(Saturation, FindsWhereLittlesLawEnds) {
  for (const double noise : {0.0005, 0.005, 0.02}) {
    for (const int per_octave : {1, 2, 8}) {
      std::mt19937_64 random(31);
      int held90 = 0, held99 = 0;
      double worst = 0;
      constexpr int rounds = 40;
      for (int round = 0; round < rounds; ++round) {
        const Curve curve = measured(footprints(1 * kib, 1 * mib, per_octave), noise, random, little);
        const auto found = find_saturation(curve);
        ASSERT_TRUE(found && found->saturated()) << noise << " " << per_octave;
        EXPECT_NEAR(found->plateau / top, 1, 2 * noise + 0.001);
        ASSERT_TRUE(found->at90 && found->at99);
        held90 += found->at90->low <= 0.90 * knee && 0.90 * knee <= found->at90->high;
        held99 += found->at99->low <= 0.99 * knee && 0.99 * knee <= found->at99->high;
        worst = std::max(worst, std::abs(found->at90->best / (0.90 * knee) - 1));
        EXPECT_LE(found->at90->low, found->at90->best);
        EXPECT_LE(found->at90->best, found->at90->high);
        EXPECT_LE(found->at90->best, found->at99->best);
      }
      EXPECT_GE(held90, rounds * 95 / 100) << noise << " " << per_octave;
      EXPECT_GE(held99, rounds * 95 / 100) << noise << " " << per_octave;
      // If two points are octaves apart, the knee itself may lie between them.
      if (per_octave == 8) {
        EXPECT_LE(worst, 0.02 + 4 * noise) << noise;
      }
    }
  }
}

// On a fine grid the noise decides which point is the first with 99 %.
TEST(Saturation, TheBracketHoldsUnderNoiseOnAFineGrid) {
  std::mt19937_64 random(35);
  int held = 0;
  double off = 0;
  constexpr int rounds = 100;
  for (int round = 0; round < rounds; ++round) {
    const auto found = find_saturation(measured(footprints(4 * kib, 1 * mib, 32), 0.01, random, little));
    ASSERT_TRUE(found && found->at99);
    held += found->at99->low <= 0.99 * knee && 0.99 * knee <= found->at99->high;
    off += std::abs(found->at99->best / (0.99 * knee) - 1) / rounds;
  }
  EXPECT_GE(held, rounds * 95 / 100);
  EXPECT_LE(off, 0.02);
}

TEST(Saturation, ACurveThatStillRisesIsNotSaturated) {
  std::mt19937_64 random(32);
  for (const double noise : {0.001, 0.01}) {
    for (int round = 0; round < 30; ++round) {
      const auto straight = must(find_saturation(measured(footprints(1 * kib, 32 * kib, 4), noise, random, little)));
      EXPECT_FALSE(straight.saturated());
      EXPECT_FALSE(straight.at90);
      const auto bent = find_saturation(measured(footprints(1 * kib, 256 * kib, 4), noise, random,
                                                 [](double at) { return top * at / (at + 40 * kib); }));
      ASSERT_TRUE(bent);
      EXPECT_TRUE(bent->rising);
      EXPECT_FALSE(bent->at99);
    }
  }
}

TEST(Saturation, AFallAfterTheTopIsNoPlateau) {
  std::mt19937_64 random(33);
  const auto found = find_saturation(measured(footprints(1 * kib, 1 * mib, 4), 0.002, random,
                                              [](double at) { return little(at) * (at > 200 * kib ? 0.85 : 1); }));
  ASSERT_TRUE(found && found->saturated());
  EXPECT_NEAR(found->plateau, top, 20);
  EXPECT_NEAR(found->at90->best, 0.9 * knee, 0.02 * knee);
}

TEST(Saturation, OneBadPointIsNoTop) {
  for (std::size_t bad = 0; bad < 40; ++bad) {
    std::mt19937_64 random(34);
    Curve curve = measured(footprints(1 * kib, 1 * mib, 4), 0.002, random, little);
    const auto clean = must(find_saturation(curve));
    curve.points[bad].value *= 1.5;
    const auto found = find_saturation(curve);
    ASSERT_TRUE(found) << bad;
    EXPECT_NEAR(found->plateau, top, 20) << bad;
    // The point right before the plateau has a neighbour on it.
    EXPECT_LE(found->points, clean.points + (bad == 21)) << bad;
    if (bad + 1 < 40) {
      EXPECT_TRUE(found->saturated()) << bad;
    }
  }
}

TEST(Saturation, SixPointsOverWarpsAreEnough) {
  Curve curve;
  curve.points = {{1, 1.4}, {2, 2.8}, {4, 5.6}, {8, 30.9}, {16, 32.0}, {32, 32.2}};
  const auto found = find_saturation(curve);
  ASSERT_TRUE(found && found->saturated());
  EXPECT_NEAR(found->plateau, 32.1, 0.01);
  EXPECT_EQ(found->points, 2u);
  EXPECT_EQ(found->at90->low, 4);
  EXPECT_EQ(found->at90->high, 8);
  EXPECT_EQ(found->at99->low, 8);
  EXPECT_EQ(found->at99->high, 16);
}

TEST(Saturation, ACurveThatStartsOnTopIsReachedBeforeItsFirstPoint) {
  Curve curve;
  curve.points = {{4, 10}, {8, 10}, {16, 10}};
  const auto found = find_saturation(curve);
  ASSERT_TRUE(found && found->at90);
  EXPECT_EQ(found->at90->low, 0);
  EXPECT_EQ(found->at90->best, 4);
}

TEST(Saturation, NothingComesOfTwoPoints) {
  Curve curve;
  EXPECT_FALSE(find_saturation(curve));
  curve.points = {{1, 1}, {2, 2}, {3, std::numeric_limits<double>::quiet_NaN()}, {4, -1}};
  EXPECT_FALSE(find_saturation(curve));
}

TEST(Plateau, IsTheMedianOfTheTopAndItsFirstPoint) {
  const Plateau found = plateau({{1, 1.4}, {2, 2.8}, {32, 32.3}, {4, 5.6}, {8, 30.9}, {16, 32.0}}).value_or(Plateau{});
  EXPECT_DOUBLE_EQ(found.level, 32.0);
  EXPECT_DOUBLE_EQ(found.reached_at, 8);
  EXPECT_EQ(found.points, 3u);
  EXPECT_TRUE(found.flat());
}

TEST(Plateau, ACurveThatStillRisesHasOnePoint) {
  const Plateau found = plateau({{1, 1}, {2, 2}, {4, 4}}).value_or(Plateau{});
  EXPECT_DOUBLE_EQ(found.level, 4);
  EXPECT_DOUBLE_EQ(found.reached_at, 4);
  EXPECT_FALSE(found.flat());
}

TEST(Plateau, ACurveThatFallsAgainKeepsItsTop) {
  const Plateau found = plateau({{1, 10}, {2, 20}, {4, 20}, {8, 12}}).value_or(Plateau{});
  EXPECT_DOUBLE_EQ(found.level, 20);
  EXPECT_DOUBLE_EQ(found.reached_at, 2);
}

TEST(Plateau, NothingComesOfNothing) {
  EXPECT_FALSE(plateau({}));
  EXPECT_FALSE(plateau({{1, std::nan("")}, {std::nan(""), 3}}));
  EXPECT_FALSE(plateau({{1, 0}, {2, -1}}));
}

}  // namespace
}  // namespace warpclock
