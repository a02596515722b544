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
  ASSERT_FALSE(fit_line(samples));
  EXPECT_EQ(fit_line(samples).error().code, "nonlinear");
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

TEST(Fit, ABentLineIsNonlinear) {
  EXPECT_THAT(failure_of(fit_line({constant(16, 400), constant(64, 1600), constant(128, 6400)})),
              IsError("nonlinear", HasSubstr("n = 64")));
}

TEST(Fit, WhatTheLaunchesScatterIsNotNonlinearButWidensTheInterval) {
  const auto scattered = [](std::int64_t n, double middle) {
    Series series{n, {}};
    for (int i = -5; i <= 5; ++i) series.cycles.push_back(middle + 400 * i);
    return series;
  };
  const auto line = must(fit_line({scattered(16, 1600), scattered(64, 4600), scattered(128, 12800)}));
  EXPECT_GT(line.slope_high - line.slope_low, 10);
  // First as far off, but the launches do not scatter; then with scatter, but further off than scatter may explain.
  EXPECT_FALSE(fit_line({constant(16, 1600), constant(64, 4600), constant(128, 12800)}));
  EXPECT_FALSE(fit_line({scattered(16, 1600), scattered(64, 1700), scattered(128, 2800)}));
}

TEST(Fit, AFewCyclesOffAShortLineAreNotNonlinear) {
  const auto line = fit_line({constant(16, 40), constant(64, 96), constant(128, 150)});
  ASSERT_TRUE(line) << line.error().text;
  EXPECT_EQ(failure_of(fit_line({constant(16, 40), constant(64, 110), constant(128, 130)})).code, "nonlinear");
}

TEST(Fit, HugeValuesGiveNoNumberAndNoCrash) {
  EXPECT_FALSE(fit_line({constant(16, 1e308), constant(64, -1e308), constant(INT64_MAX, 1e308)}));
  EXPECT_FALSE(fit_line({constant(1, -1.7e308), constant(2, 1.7e308), constant(3, 1.7e308)}));
}

}  // namespace
}  // namespace warpclock
