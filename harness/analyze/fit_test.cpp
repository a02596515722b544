#include "analyze/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

Series constant(std::int64_t n, double cycles, int launches = 15) {
  return {n, std::vector<double>(static_cast<std::size_t>(launches), cycles)};
}

TEST(Fit, AnExactLineHasNoWidthAndNoRounding) {
  const auto line = must(fit_line({constant(16, 414), constant(64, 1566), constant(128, 3102)}));
  EXPECT_EQ(line.slope, 24);
  EXPECT_EQ(line.slope_low, 24);
  EXPECT_EQ(line.slope_high, 24);
  EXPECT_EQ(line.intercept, 30);
  EXPECT_EQ(line.intercept_low, 30);
  EXPECT_EQ(line.residual, 0);
  EXPECT_EQ(line.samples, 45);
}

TEST(Fit, OneLaunchInFiveMayBeInterrupted) {
  Samples samples = {constant(16, 414), constant(64, 1566), constant(128, 3102)};
  for (Series& series : samples) {
    for (std::size_t i = 0; i < 3; ++i) series.cycles[i * 5] += 90000;
  }
  const auto line = must(fit_line(samples));
  EXPECT_NEAR(line.slope, 24, 1e-9);
  EXPECT_NEAR(line.slope_high, 24, 1e-9);
}

TEST(Fit, StepsAreOfWhatIsNoLine) {
  // 64 MiB read repeatedly on an H200, whose L2 holds 60 MiB: the share found in L2 increases.
  const Samples samples = {constant(32, 121196), constant(64, 220288), constant(96, 285196)};
  EXPECT_THAT(must(fit_line(samples)).bend, HasSubstr("cycles do not grow in a line: the median at n = 64"));
  const auto steps = must(steps_of(samples));
  EXPECT_DOUBLE_EQ(steps.slope, (285196 - 121196) / 64.0);
  EXPECT_DOUBLE_EQ(steps.most, (220288 - 121196) / 32.0);
  EXPECT_DOUBLE_EQ(steps.least, (285196 - 220288) / 32.0);
  EXPECT_EQ(steps.samples, 45);
  EXPECT_FALSE(steps_of({constant(32, 100), constant(64, 90), constant(96, 300)})) << "a step down is no number";
  EXPECT_FALSE(steps_of({constant(32, 100)}));
}

TEST(Fit, LackOfFitWidensTheInterval) {
  const auto line = must(fit_line({constant(16, 414), constant(64, 1569), constant(128, 3102)}));
  EXPECT_EQ(line.worst_n, 64);
  EXPECT_NEAR(line.residual, 1.9865, 0.001);
  EXPECT_LT(line.slope_low, 24);
  EXPECT_GT(line.slope_high, 24);
  EXPECT_NEAR(line.slope_high - line.slope_low, 2 * line.residual * 0.018581, 0.001);
}

TEST(Fit, SpreadOfTheSamplesWidensTheInterval) {
  Samples samples = {constant(16, 414), constant(64, 1566), constant(128, 3102)};
  for (std::size_t i = 0; i < 15; ++i) samples[2].cycles[i] += static_cast<double>(i) - 7;
  const auto line = must(fit_line(samples));
  EXPECT_NEAR(line.slope, 24, 1e-9);
  EXPECT_NEAR(line.slope_high, 24 + 4 * 58.6667 / 6314.667, 1e-4);
  EXPECT_NEAR(line.slope_low, 24 - 4 * 58.6667 / 6314.667, 1e-4);
}

TEST(Fit, TheIntervalCoversTheTruth) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 6);
  int slopes = 0, intercepts = 0;
  constexpr int rounds = 500;
  for (int round = 0; round < rounds; ++round) {
    Samples samples;
    for (const std::int64_t n : {16, 32, 64, 128}) {
      Series series{n, {}};
      for (int i = 0; i < 15; ++i) series.cycles.push_back(40 + 8 * static_cast<double>(n) + noise(random));
      samples.push_back(series);
    }
    const auto line = must(fit_line(samples));
    if (line.slope_low <= 8 && 8 <= line.slope_high) ++slopes;
    if (line.intercept_low <= 40 && 40 <= line.intercept_high) ++intercepts;
  }
  EXPECT_GE(slopes, rounds * 95 / 100);
  EXPECT_GE(intercepts, rounds * 95 / 100);
}

TEST(Fit, NeedsThreeRepeatCountsWithSamples) {
  EXPECT_EQ(fit_line({}).error().code, "no-slope");
  EXPECT_THAT(fit_line({constant(16, 1), constant(64, 2)}).error().text, HasSubstr("there are 2"));
  EXPECT_THAT(fit_line({constant(16, 1), constant(64, 2), {128, {}}, {256, {std::nan("")}}}).error().text,
              HasSubstr("there are 2"));
  EXPECT_THAT(fit_line({constant(16, 1), constant(16, 2), constant(16, 3)}).error().text, HasSubstr("there are 1"));
}

TEST(Fit, ASingleSampleEachIsEnough) {
  EXPECT_NEAR(must(fit_line({constant(1, 10, 1), constant(2, 14, 1), constant(3, 18, 1)})).slope, 4, 1e-9);
}

TEST(Fit, CyclesThatDoNotGrowHaveNoSlope) {
  EXPECT_THAT(failure_of(fit_line({constant(16, 400), constant(64, 400), constant(128, 399)})),
              IsError("no-slope", HasSubstr("400, 400, 399 at n = 16, 64, 128")));
}

TEST(Fit, ASlopeWithinItsDoubtOfZeroIsNone) {
  EXPECT_THAT(failure_of(fit_line({constant(16, 400), constant(64, 403), constant(128, 401)})),
              IsError("no-slope", HasSubstr("cannot be distinguished from zero")));
}

TEST(Fit, ABentLineHasAnIntervalWithItsSteps) {
  const auto line = must(fit_line({constant(16, 400), constant(64, 1600), constant(128, 6400)}));
  EXPECT_THAT(line.bend, HasSubstr("the median at n = 64 lies"));
  EXPECT_LT(line.slope_low, (1600 - 400) / 48.0 * 1.6) << "14.8 % of the rise off the line";
  EXPECT_GT(line.slope_high, line.slope * 1.2);
}

TEST(Fit, WhatIsFarFromEveryLineIsNonlinear) {
  EXPECT_THAT(failure_of(fit_line({constant(16, 400), constant(64, 900), constant(128, 6400)})),
              IsError("nonlinear", HasSubstr("n = 64")));
}

/// Launches of a case that is a line but for `bend`, a share of its rise, and scatters by `noise` of its cycles. A
/// third of the launches are of another class, as those of clusters that meet on other SMs.
Samples noisy(double bend, double noise, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Samples samples;
  const std::vector<std::int64_t> repeats = {8, 16, 24};
  for (const std::int64_t n : repeats) {
    const double on_line = 100.0 * static_cast<double>(n), off = n == 16 ? 1.5 * bend * 1600 : 0;
    Series& series = samples.emplace_back(n, std::vector<double>{});
    for (int i = 0; i < 11; ++i) {
      const double other = std::uniform_int_distribution(0, 2)(random) == 0 ? 1 - 2 * noise : 1;
      series.cycles.push_back((on_line + off) * other * (1 + noise * normal(random)));
    }
  }
  return samples;
}

// A limit of 5 % that a case of 4 to 6 % touched rejected it on one board and not on another.
TEST(Fit, NoiseDecidesHowWideAnIntervalIsAndNotWhetherThereIsANumber) {
  for (const double bend : {0.0, 0.03, 0.045, 0.05, 0.055, 0.08, 0.11}) {
    int straight = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      const auto line = fit_line(noisy(bend, 0.02, seed));
      ASSERT_TRUE(line) << bend << ": " << line.error().text;
      EXPECT_GE(line->slope_high - line->slope_low, 2 * line->residual / line->span) << "holds the distance";
      EXPECT_NEAR(line->slope, 100, 10);
      straight += line->bend.empty() ? 1 : 0;
    }
    if (bend != 0.05) continue;
    EXPECT_TRUE(straight > 0 && straight < 300) << "the word is a matter of chance, the number is not";
  }
}

TEST(Fit, WhatTheLaunchesScatterIsNotNonlinearButWidensTheInterval) {
  const auto scattered = [](std::int64_t n, double middle) {
    Series series{n, {}};
    for (int i = -5; i <= 5; ++i) series.cycles.push_back(middle + 400 * i);
    return series;
  };
  const auto line = must(fit_line({scattered(16, 1600), scattered(64, 4600), scattered(128, 12800)}));
  EXPECT_GT(line.slope_high - line.slope_low, 10);
  EXPECT_EQ(line.bend, "");
  // First as far off, but the launches do not scatter; then with scatter, but further off than scatter may explain.
  EXPECT_NE(must(fit_line({constant(16, 1600), constant(64, 4600), constant(128, 12800)})).bend, "");
  EXPECT_FALSE(fit_line({scattered(16, 1600), scattered(64, 1700), scattered(128, 2800)}));
}

TEST(Fit, AFewCyclesOffAShortLineAreNotNonlinear) {
  const auto line = fit_line({constant(16, 40), constant(64, 96), constant(128, 150)});
  ASSERT_TRUE(line) << line.error().text;
  EXPECT_EQ(line->bend, "");
  EXPECT_EQ(failure_of(fit_line({constant(16, 40), constant(64, 110), constant(128, 130)})).code, "nonlinear");
}

TEST(Fit, HugeValuesGiveNoNumberAndNoCrash) {
  EXPECT_FALSE(fit_line({constant(16, 1e308), constant(64, -1e308), constant(INT64_MAX, 1e308)}));
  EXPECT_FALSE(fit_line({constant(1, -1.7e308), constant(2, 1.7e308), constant(3, 1.7e308)}));
}

}  // namespace
}  // namespace warpclock
