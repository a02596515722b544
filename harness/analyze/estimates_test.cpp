#include "analyze/estimates.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

struct Trial {
  Samples samples = {{16, {414, 414, 414}}, {64, {1566, 1566, 1566}}, {128, {3102, 3102, 3102}}};
  std::map<std::string, double> facts, metrics;
  std::optional<double> encoded;

  Analysis of(const std::vector<Measure>& measures) const {
    return estimates(measures, Evidence{samples, facts, metrics, encoded});
  }
};

Measure measure(const std::string& name, Method method, std::int64_t work = 1, const std::string& source = "") {
  return {name, method, "cycles", work, source, "a note"};
}

TEST(Estimates, SlopeIsDividedByItsWorkAndBringsItsOverhead) {
  const Analysis analysis = Trial{}.of({measure("latency", Method::Slope, 2)});
  EXPECT_TRUE(analysis.problems.empty());
  ASSERT_EQ(analysis.estimates.size(), 2u);
  EXPECT_EQ(analysis.estimates[0].name, "latency");
  EXPECT_EQ(analysis.estimates[0].method, "slope");
  EXPECT_EQ(analysis.estimates[0].note, "a note");
  EXPECT_EQ(analysis.estimates[0].n, 9);
  EXPECT_NEAR(analysis.estimates[0].value, 12, 1e-9);
  EXPECT_EQ(analysis.estimates[1].name, "latency.overhead");
  EXPECT_EQ(analysis.estimates[1].method, "intercept");
  EXPECT_NEAR(analysis.estimates[1].value, 30, 1e-9);
}

TEST(Estimates, RateIsWorkOverSlopeWithItsIntervalTurnedAround) {
  Trial trial;
  trial.samples[2].cycles = {3100, 3102, 3106};
  const Analysis analysis = trial.of({measure("throughput", Method::Rate, 768)});
  ASSERT_EQ(analysis.estimates.size(), 1u);
  const Estimate& rate = analysis.estimates[0];
  EXPECT_NEAR(rate.value, 32, 1e-9);
  EXPECT_LT(rate.low, rate.value);
  EXPECT_GT(rate.high, rate.value);
  EXPECT_LT(rate.high - rate.value, rate.value - rate.low);
}

TEST(Estimates, ElapsedIsTheMedianAtTheLargestRepeatCount) {
  Trial trial;
  trial.samples = {{1, {9}}, {4, {30, 10, 20, std::nan("")}}, {8, {}}};
  const Analysis analysis = trial.of({measure("time", Method::Elapsed, 2)});
  ASSERT_EQ(analysis.estimates.size(), 1u);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].value, 10);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].low, 5);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].high, 15);
  EXPECT_EQ(analysis.estimates[0].n, 3);
}

TEST(Estimates, SlowestIsTheRateOfTheLongestBlockInTheMiddleLaunch) {
  Trial trial;
  trial.samples = {{8, {200}, {800}}, {16, {200, 200, 200}, {320, 400, 256}}, {24, {600}, {}}};
  const Analysis analysis = trial.of({measure("slowest", Method::Slowest, 100)});
  ASSERT_EQ(analysis.estimates.size(), 1u);
  EXPECT_EQ(analysis.estimates[0].method, "slowest");
  EXPECT_DOUBLE_EQ(analysis.estimates[0].value, 5);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].low, 4);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].high, 6.25);
  EXPECT_EQ(analysis.estimates[0].n, 3);
  trial.samples = {{8, {200}, {}}};
  EXPECT_THAT(trial.of({measure("slowest", Method::Slowest, 100)}).problems, testing::SizeIs(1));
}

TEST(Estimates, LastIsTheMeanOfTheLongestOfSomeWindows) {
  Trial trial;
  trial.samples = {{1, {99}}, {4, {10, 20}}};
  const auto last = [&](std::int64_t windows) {
    const Analysis analysis = trial.of({measure("last", Method::Last, windows)});
    return analysis.estimates.empty() ? Estimate{} : analysis.estimates[0];
  };
  EXPECT_DOUBLE_EQ(last(1).value, 15);
  EXPECT_DOUBLE_EQ(last(2).value, 10 * 0.25 + 20 * 0.75) << "both are the short one in a quarter of the draws";
  EXPECT_DOUBLE_EQ(last(2).high - last(2).value, 10) << "of two samples nothing is known";
  trial.samples = {{1, {}}};
  for (int i = 0; i < 400; ++i) trial.samples[0].cycles.push_back(i % 4);
  EXPECT_DOUBLE_EQ(last(3).value, (1 * 7 + 2 * 19 + 3 * 37) / 64.0);
  EXPECT_LT(last(3).high - last(3).value, 0.3);
  EXPECT_GT(last(3).high - last(3).value, 0);
  EXPECT_EQ(last(3).n, 400);
  trial.samples = {};
  EXPECT_THAT(trial.of({measure("last", Method::Last, 3)}).problems, testing::SizeIs(1));
}

TEST(Estimates, ASingleElapsedSampleIsItsOwnInterval) {
  Trial trial;
  trial.samples = {{1, {9}}};
  const Analysis analysis = trial.of({measure("time", Method::Elapsed)});
  ASSERT_EQ(analysis.estimates.size(), 1u);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].low, 9);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].high, 9);
  EXPECT_EQ(analysis.estimates[0].n, 1);
}

TEST(Estimates, WithoutSamplesThereIsAProblemAndNoNumber) {
  Trial trial;
  trial.samples.clear();
  const Analysis analysis =
      trial.of({measure("time", Method::Elapsed), measure("latency", Method::Slope), measure("rate", Method::Rate)});
  EXPECT_TRUE(analysis.estimates.empty());
  ASSERT_EQ(analysis.problems.size(), 3u);
  EXPECT_EQ(analysis.problems[0].code, "no-samples");
  EXPECT_EQ(analysis.problems[1].code, "no-slope");
  EXPECT_EQ(analysis.problems[2].code, "no-slope");
}

TEST(Estimates, AFactThatTheKernelDidNotWriteIsAProblem) {
  Trial trial;
  trial.facts = {{"mismatches", 3}};
  const Analysis analysis =
      trial.of({measure("m", Method::Fact, 1, "mismatches"), measure("x", Method::Fact, 1, "lost")});
  ASSERT_EQ(analysis.estimates.size(), 1u);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].value, 3);
  ASSERT_EQ(analysis.problems.size(), 1u);
  EXPECT_THAT(analysis.problems[0].text, HasSubstr("'lost'"));
}

TEST(Estimates, ACounterWithoutAValueIsLeftOut) {
  Trial trial;
  trial.metrics = {{"hit_rate", 75}, {"ratio", std::nan("")}};
  const Analysis analysis =
      trial.of({measure("hit_rate.l1", Method::Counter, 3, "hit_rate"), measure("ratio", Method::Counter, 1, "ratio"),
                measure("none", Method::Counter, 1, "none")});
  EXPECT_TRUE(analysis.problems.empty());
  ASSERT_EQ(analysis.estimates.size(), 1u);
  EXPECT_DOUBLE_EQ(analysis.estimates[0].value, 25);
  EXPECT_EQ(analysis.estimates[0].method, "counter");
}

TEST(Estimates, ABentLineIsARangeAndNoProblem) {
  Trial trial;
  trial.samples = {{8, {1000, 1000, 1000}}, {16, {2200, 2200, 2200}}, {24, {3000, 3000, 3000}}};
  const Analysis found = trial.of({measure("latency", Method::Slope), measure("rate", Method::Rate, 1000)});
  EXPECT_TRUE(found.problems.empty());
  ASSERT_EQ(found.estimates.size(), 2u);
  EXPECT_NEAR(found.estimates[0].value, 125, 1e-9);
  EXPECT_LE(found.estimates[0].low, (3000 - 2200) / 8.0);
  EXPECT_GE(found.estimates[0].high, (2200 - 1000) / 8.0);
  EXPECT_LE(found.estimates[1].low, 1000 / 150.0);
  EXPECT_GE(found.estimates[1].high, 1000 / 100.0);
  EXPECT_THAT(found.unsteady, HasSubstr("cycles do not grow in a line: the median at n = 16 lies 133.3 cycles (6.7 %"));
  trial.samples[1].cycles = {4000, 4000, 4000};
  EXPECT_EQ(trial.of({measure("latency", Method::Slope)}).problems.at(0).code, "nonlinear");
}

TEST(Estimates, WhatMayBeUnsteadyIsARangeAndNoProblem) {
  Trial trial;
  trial.samples = {{32, {121196, 121196, 121196}}, {64, {220288, 220288, 220288}}, {96, {285196, 285196, 285196}}};
  Measure rate = measure("rate", Method::Rate, 65536);

  rate.unsteady = "L2 keeps more and more of it";
  const Analysis found = trial.of({rate});
  EXPECT_TRUE(found.problems.empty());
  ASSERT_EQ(found.estimates.size(), 1u);
  EXPECT_NEAR(found.estimates[0].low, 65536.0 * 32 / (220288 - 121196), 1e-9);
  EXPECT_NEAR(found.estimates[0].high, 65536.0 * 32 / (285196 - 220288), 1e-9);
  EXPECT_THAT(found.unsteady, HasSubstr("rate is from 21.16 to 32.31 cycles"));
  EXPECT_THAT(found.unsteady, HasSubstr("L2 keeps more and more of it"));

  EXPECT_EQ(Trial{}.of({rate}).unsteady, "") << "a line is a line";
  trial.samples[2].cycles = {100, 100, 100};
  EXPECT_EQ(trial.of({rate}).problems.at(0).code, "no-slope") << "what does not grow stays a problem";
}

TEST(Estimates, ClockReadsOfSeveralWarpsWaitForEachOther) {
  // ldmatrix on an H200 with 16 warps: 128 cycles per repeat plus 83, 81 and 79, the same in every launch. Its banks
  // give 128 bytes per clock.
  Trial trial;
  trial.samples = {{16, {2131, 2131, 2131}}, {48, {6225, 6225, 6225}}, {80, {10319, 10319, 10319}}};
  Measure rate = measure("throughput", Method::Rate, 16384);
  const Estimate alone = trial.of({rate}).estimates.at(0);
  EXPECT_GT(alone.low, 128);
  rate.warps = 16;
  const Estimate among = trial.of({rate}).estimates.at(0);
  EXPECT_EQ(among.value, alone.value);
  EXPECT_LT(among.low, 128);
  EXPECT_GT(among.high, alone.high);
  EXPECT_NEAR(alone.value - among.low, among.value * (2 * 4 / 64.0) / 128, 0.001);
  rate.warps = 1;
  EXPECT_EQ(trial.of({rate}).estimates.at(0), alone) << "it waits for no other";
}

TEST(Estimates, EncodedStandsBesideTheMeasuredAndSaysWhenTheyDiffer) {
  Trial trial;
  trial.encoded = 24.5;
  const Analysis agree = trial.of({measure("latency", Method::Slope)});
  ASSERT_EQ(agree.estimates.size(), 3u);
  EXPECT_EQ(agree.estimates[2].name, "encoded");
  EXPECT_DOUBLE_EQ(agree.estimates[2].value, 24.5);
  EXPECT_EQ(agree.estimates[2].note, "");
  trial.encoded = 26;
  EXPECT_EQ(trial.of({measure("latency", Method::Slope)}).estimates[2].note,
            "latency measured 24.00 cycles, 2.00 less than the 26 that the encoding's stall counts add up to");
}

TEST(Estimates, WorkThatIsNotPositiveIsAProblem) {
  const Analysis analysis = Trial{}.of({measure("latency", Method::Slope, 0)});
  EXPECT_TRUE(analysis.estimates.empty());
  ASSERT_EQ(analysis.problems.size(), 1u);
  EXPECT_EQ(analysis.problems[0].code, "no-value");
}

}  // namespace
}  // namespace warpclock
