#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analyze/curve/curve.hpp"
#include "analyze/testing/synthetic_curve.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

std::vector<double> every(double spacing, int count, double from) {
  std::vector<double> axis;
  for (int i = 0; i < count; ++i) axis.push_back(from + spacing * i);
  return axis;
}

/// Cycles of a warp's load from shared memory with `banks` banks, as a function of the stride in words.
double conflicts(double stride, int banks) { return 28 + 2.0 * std::gcd(static_cast<int>(stride), banks); }

TEST(Period, FindsTheBanks) {
  for (const int banks : {8, 16, 32}) {
    for (const double noise : {0.0, 0.001, 0.01}) {
      for (int seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        const Curve curve = measured(every(1, 96, 1), noise, random, [&](double s) { return conflicts(s, banks); });
        const auto found = must(find_period(curve));
        EXPECT_EQ(found.period, banks) << noise << " " << seed;
        EXPECT_EQ(found.points, static_cast<std::size_t>(banks));
        EXPECT_GT(found.confidence, 0.99);
      }
    }
  }
}

TEST(Period, IsInUnitsOfTheAxis) {
  std::mt19937_64 random(41);
  const auto found =
      find_period(measured(every(4, 96, 4), 0.002, random, [](double bytes) { return conflicts(bytes / 4, 32); }));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->period, 128);
}

TEST(Period, BadPointsDoNotHideIt) {
  for (std::size_t bad = 0; bad < 128; ++bad) {
    std::mt19937_64 random(42);
    Curve curve = measured(every(1, 128, 1), 0.003, random, [](double s) { return conflicts(s, 32); });
    curve.points[bad].value *= 10;
    EXPECT_EQ(must(find_period(curve)).period, 32) << bad;
  }
}

TEST(Period, WhatDoesNotRepeatHasNoneInAllButOneOfAHundred) {
  std::mt19937_64 random(43);
  int invented = 0, curves = 0;
  for (const double noise : {0.0005, 0.005, 0.05}) {
    for (int round = 0; round < 60; ++round) {
      for (const auto& shape : std::initializer_list<double (*)(double)>{
               [](double) { return 40.0; }, [](double s) { return 40 + s; },
               [](double s) { return s < 32 ? 40.0 : 80.0; }, [](double s) { return s < 20 ? 40 + 2 * s : 80; }}) {
        const auto found = must(find_period(measured(every(1, 64, 1), noise, random, shape)));
        ++curves;
        invented += found.period != 0;
      }
    }
  }
  EXPECT_LE(invented, curves / 100) << "of " << curves;
}

TEST(Period, OnePeriodIsNotEnoughToSee) {
  std::mt19937_64 random(44);
  const auto found = find_period(measured(every(1, 40, 1), 0.001, random, [](double s) { return conflicts(s, 32); }));
  ASSERT_TRUE(found);
  EXPECT_NE(found->period, 32);
}

TEST(Period, NeedsAnEvenAxis) {
  Curve curve;
  EXPECT_FALSE(find_period(curve));
  for (const double at : {1, 2, 4, 8, 16, 32, 64}) curve.points.push_back({at, 1});
  EXPECT_FALSE(find_period(curve));
  curve.points.clear();
  for (const double at : {1, 2, 3, 4, 5, 6}) curve.points.push_back({at, 0});
  ASSERT_TRUE(find_period(curve));
  EXPECT_EQ(find_period(curve)->period, 0);
  EXPECT_EQ(find_period(curve)->confidence, 1);
}

/// Cycles of a second access `offset` bytes after the first, with sectors of 32 bytes and lines of 128.
double second_access(double offset) { return offset < 32 ? 33 : offset < 128 ? 210 : 640; }

TEST(Steps, FindTheSectorAndTheLine) {
  for (const double noise : {0.0, 0.001, 0.02}) {
    for (int seed = 0; seed < 30; ++seed) {
      std::mt19937_64 random(static_cast<std::uint64_t>(seed));
      const auto steps = find_steps(measured(every(4, 64, 0), noise, random, second_access));
      ASSERT_EQ(steps.size(), 2u) << noise << " " << seed;
      EXPECT_EQ(steps[0].low, 28);
      EXPECT_EQ(steps[0].high, 32);
      EXPECT_EQ(steps[1].high, 128);
      EXPECT_NEAR(steps[1].after / 640, 1, 0.001 + noise);
      EXPECT_GT(steps[0].confidence, 0.95);
    }
  }
}

TEST(Steps, ConfidenceIsKept) {
  std::mt19937_64 random(45);
  int seen = 0, held = 0;
  double claimed = 0;
  for (int round = 0; round < 300; ++round) {
    const auto steps =
        find_steps(measured(every(4, 40, 0), 0.02, random, [](double at) { return at < 64 ? 100 : 106; }));
    for (const Step& s : steps) {
      ++seen;
      held += s.high == 64;
      claimed += s.confidence;
    }
  }
  EXPECT_GE(seen, 290);
  EXPECT_GE(held, claimed - 0.05 * seen);
  EXPECT_LT(claimed, 0.95 * seen) << "noise like this leaves doubt";
}

TEST(Steps, NoneInAFlatCurveOrOfABadPoint) {
  std::mt19937_64 random(46);
  int invented = 0;
  for (int round = 0; round < 300; ++round) {
    Curve curve = measured(every(4, 64, 0), 0.01 * (1 + round % 3), random, [](double) { return 33; });
    curve.points[static_cast<std::size_t>(round) % 64].value *= 3;
    invented += !find_steps(curve).empty();
  }
  EXPECT_LE(invented, 3);
  EXPECT_TRUE(find_steps({}).empty());
}

// If bad points counted with their full distance, two adjacent ones would form a run.
TEST(Steps, NoneOfTwoBadPoints) {
  std::mt19937_64 random(48);
  Curve curve = measured(every(4, 64, 0), 0.01, random, [](double) { return 33; });
  curve.points[20].value *= 3;
  curve.points[21].value *= 2;
  EXPECT_TRUE(find_steps(curve).empty());
}

TEST(Steps, OneSmallerThanTheLeastIsNone) {
  std::mt19937_64 random(47);
  const Curve curve = measured(every(4, 64, 0), 0.0, random, [](double at) { return at < 64 ? 100 : 102; });
  EXPECT_TRUE(find_steps(curve).empty());
  EXPECT_EQ(find_steps(curve, 0.01).size(), 1u);
}

}  // namespace
}  // namespace warpclock
