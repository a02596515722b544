#include "analyze/fit.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

/// Samples on a line of `slope` cycles per repeat.
Samples samples_of(double slope, const std::vector<std::int64_t>& repeats = {6, 12, 24}) {
  Samples samples;
  for (const std::int64_t n : repeats) {
    samples.push_back({n, std::vector<double>(5, 30 + slope * static_cast<double>(n))});
  }
  return samples;
}

RatePoint point(int warps, int ilp, double rate) {
  return {.warps = warps,
          .ilp = ilp,
          .rate = rate,
          .low = rate * 0.99,
          .high = rate * 1.01,
          .last = rate,
          .achieved = rate * 0.97,
          .samples = 15};
}

const Estimate* find(const std::vector<Estimate>& estimates, const std::string& name) {
  return find_by(estimates, name, &Estimate::name);
}

TEST(RatePoint, IsResultsOverTheSlope) {
  const auto found = must(rate_point(4, 4, 1, samples_of(16)));
  EXPECT_EQ(found.warps, 4);
  EXPECT_EQ(found.ilp, 4);
  EXPECT_DOUBLE_EQ(found.rate, 32.0 * 4 * 4 / 16);
  EXPECT_LE(found.low, found.rate);
  EXPECT_GE(found.high, found.rate);
  EXPECT_EQ(found.samples, 15);
  EXPECT_DOUBLE_EQ(found.last, found.rate) << "a line has the same slope everywhere";
  EXPECT_DOUBLE_EQ(found.achieved, 32.0 * 4 * 4 * 24 / (30 + 16 * 24)) << "with the 30 cycles that are not copies";
  EXPECT_DOUBLE_EQ(rate_point(4, 4, 16, samples_of(16))->rate, 16 * found.rate) << "each trip is as many copies";
}

TEST(RatePoint, ALastStepThatCostsNothingIsNoRate) {
  Samples samples = samples_of(16, {6, 12, 24, 25});
  samples[3].cycles = samples[2].cycles;
  EXPECT_EQ(must(rate_point(1, 1, 1, samples)).last, 0);
}

TEST(RatePoint, ADoubtfulSlopeTurnsItsIntervalRound) {
  Samples samples = samples_of(16);
  for (Series& series : samples) {
    for (std::size_t i = 0; i < series.cycles.size(); ++i) series.cycles[i] += static_cast<double>(i) - 2;
  }
  const auto found = must(rate_point(1, 1, 1, samples));
  EXPECT_LT(found.low, found.rate);
  EXPECT_GT(found.high, found.rate);
}

TEST(RatePoint, TheIntervalHoldsTheLastStep) {
  // fp32/add.rn.f32 on an H100: the overhead takes a hundred cycles more in the smallest window.
  const auto found = must(rate_point(32, 4, 8, {{12, {3646.7}}, {24, {6606.6}}, {36, {9670.5}}}));
  EXPECT_GT(found.rate, 130);
  EXPECT_LE(found.low, 128) << "four schedulers issue 128 threads a clock";
  EXPECT_GT(found.high, found.rate);
}

TEST(RatePoint, SeveralWarpsSkewTheEnds) {
  const auto alone = rate_point(1, 4, 1, samples_of(16)), shared = rate_point(8, 4, 1, samples_of(16));
  EXPECT_EQ(alone->low, alone->rate);
  EXPECT_EQ(alone->high, alone->rate);
  EXPECT_DOUBLE_EQ(shared->low, 32.0 * 8 * 4 / (16 + 4.0 / 12)) << "two cycles at each end of the last step";
  EXPECT_DOUBLE_EQ(shared->high, 32.0 * 8 * 4 / (16 - 4.0 / 12));
  // fp32/sub.f32 on an H100, one warp on each scheduler: 128.19, where the limit is 128.
  EXPECT_LE(rate_point(4, 4, 8, {{12, {464}}, {24, {847.4}}, {36, {1230.9}}})->low, 128);
}

TEST(RatePoint, HasTheErrorsOfTheLine) {
  EXPECT_EQ(rate_point(1, 1, 1, samples_of(0)).error().code, "no-slope");
  EXPECT_EQ(rate_point(1, 1, 1, samples_of(16, {6, 12})).error().code, "no-slope");
  EXPECT_FALSE(rate_point(1, 1, 1, {}));
}

std::vector<Estimate> rates_of(const std::vector<RatePoint>& grid) { return must(rates(grid)); }

TEST(Rates, OfNoGridAreNone) { EXPECT_THAT(rates_of({}), IsEmpty()); }

TEST(Rates, AreWhatTheHardwareCanIssue) {
  // async/cp.async.wait_group on an H100.
  RatePoint steep = point(16, 4, 129.18);
  steep.low = 127.01;
  const auto found = rates_of({point(8, 4, 64), steep, point(32, 4, 113.5)});
  EXPECT_DOUBLE_EQ(find(found, "throughput")->value, 127.505);
  EXPECT_EQ(find(found, "throughput")->high, 128);
  EXPECT_DOUBLE_EQ(find(found, "interval")->value, 128 / 127.505);
  EXPECT_EQ(find(found, "interval")->low, 1);
  EXPECT_EQ(find(rates_of({steep, point(8, 4, 127.9)}), "throughput")->value, 127.9) << "a possible point of its level";
  steep.low = 128.5;
  EXPECT_THAT(failure_of(rates({steep})), IsError("premise-broken", HasSubstr("throughput is at most 128: a warp ")));
  EXPECT_THAT(failure_of(rates({point(4, 4, 128), point(1, 4, 33)})),
              IsError("premise-broken", HasSubstr("issue is ")));
}

TEST(Rates, ABentLineIsThePlateauIfThereIsNoOther) {
  RatePoint bent = point(8, 4, 120);
  bent.bend = "bent";
  EXPECT_EQ(find(rates_of({bent, point(4, 4, 115)}), "throughput")->value, 115);
  EXPECT_EQ(find(rates_of({bent}), "throughput")->value, 120);
}

// cp.async.cg by one warp: its cycles were 5 to 9 % off a line, so that one run had an issue interval and others none.
TEST(Rates, ABentLineOfOneWarpHasAnIssueInterval) {
  const auto bent = must(rate_point(1, 4, 8, {{12, {9000}}, {24, {20500}}, {36, {28000}}}));
  EXPECT_NE(bent.bend, "");
  const auto found = rates_of({bent, point(16, 4, 6.6)});
  ASSERT_NE(find(found, "issue"), nullptr);
  EXPECT_LT(find(found, "issue")->low, find(found, "issue")->value * 0.95);
}

TEST(Rates, ThePlateauIsTheMiddleOfTheHighest) {
  // fp32/mul.rn.f32 on an H200: the highest point is above what four schedulers can issue.
  const auto level = rates_of({point(4, 4, 127.87), point(8, 4, 127.94), point(16, 4, 127.95), point(32, 4, 128.95)});
  EXPECT_EQ(find(level, "throughput")->value, 127.94);
  const auto found =
      rates_of({point(1, 4, 32), point(4, 4, 126), point(8, 4, 126.5), point(16, 4, 128), point(32, 4, 60)});
  const Estimate* throughput = find(found, "throughput");
  ASSERT_NE(throughput, nullptr);
  EXPECT_EQ(throughput->value, 128) << "no other is within a percent";
  EXPECT_EQ(throughput->unit, "1/clk/SM");
  EXPECT_EQ(throughput->method, "rate");
  EXPECT_THAT(throughput->note, HasSubstr("16 warps x 4"));
  EXPECT_LT(throughput->low, throughput->value);
  EXPECT_EQ(throughput->high, 128);
}

TEST(Rates, OfPointsWithOneRateTheBestKnownCounts) {
  RatePoint few = point(4, 4, 21.333), many = point(16, 4, 21.333);
  few.low = 21.11, few.high = 21.56;
  many.low = 21.30, many.high = 21.36;
  const auto found = rates_of({few, many});
  EXPECT_EQ(find(found, "throughput")->low, 21.30);
  EXPECT_EQ(find(found, "saturation")->value, 16) << "the smallest, whichever is known best";
}

TEST(Rates, ThePlateauIsWhereLineAndLastStepAgree) {
  // reduction/red.global.and.b64 on an H200: eight warps first fill a queue, which the line counts as speed.
  RatePoint queued = point(8, 1, 3.236);
  queued.last = 3.135;
  EXPECT_EQ(find(rates_of({queued, point(4, 1, 3.196)}), "throughput")->value, 3.196);
}

TEST(Rates, ASteepPointThatDidLittleIsNoPlateau) {
  RatePoint lucky = point(2, 4, 200);
  lucky.achieved = 90;
  EXPECT_EQ(find(rates_of({lucky, point(8, 4, 127)}), "throughput")->value, 127);
}

TEST(Rates, APointThatDidNineTenthsOfTheWorkMayBeThePlateau) {
  RatePoint few = point(4, 4, 64), many = point(8, 4, 61);
  few.achieved = 0.91 * many.achieved;
  EXPECT_EQ(rates_of({few, many})[0].value, 64) << "few warps hide less of the overhead, and contend less";
  few.achieved = 0.89 * many.achieved;
  EXPECT_EQ(rates_of({few, many})[0].value, 61);
}

TEST(Rates, ASlopeThatFlattensCountsWhereThereIsNoOther) {
  RatePoint flattening = point(4, 4, 120), little = point(1, 4, 32);
  flattening.last = 100;
  flattening.achieved = 110;
  little.achieved = 30;
  EXPECT_EQ(find(rates_of({flattening, little}), "throughput")->value, 120);
}

TEST(Rates, ASlopeThatFlattensIsNoPlateau) {
  RatePoint flattening = point(4, 4, 140);
  flattening.last = 120;
  flattening.achieved = 125;
  EXPECT_EQ(find(rates_of({flattening, point(8, 4, 127)}), "throughput")->value, 127);
}

TEST(Rates, AnIntervalIsOfOneScheduler) {
  const auto found = rates_of({point(4, 4, 64)});
  const Estimate* interval = find(found, "interval");
  ASSERT_NE(interval, nullptr);
  EXPECT_EQ(interval->value, 2);
  EXPECT_LT(interval->low, interval->high) << "the ends change places where a rate becomes a time";
}

TEST(Rates, SaturationIsTheSmallestPointNearThePlateau) {
  const auto found = rates_of({point(1, 1, 8), point(1, 4, 32), point(4, 4, 124), point(8, 4, 128), point(32, 4, 128)});
  ASSERT_NE(find(found, "saturation"), nullptr);
  EXPECT_EQ(find(found, "saturation")->value, 16);
  const auto alone = rates_of({point(1, 4, 32)});
  EXPECT_EQ(find(alone, "saturation")->value, 4);
}

TEST(Rates, IssueNeedsSeveralChainsOfOneWarp) {
  EXPECT_EQ(find(rates_of({point(4, 4, 64), point(1, 1, 8)}), "issue"), nullptr);
  const auto found = rates_of({point(4, 4, 64), point(1, 4, 16), point(1, 2, 8)});
  ASSERT_NE(find(found, "issue"), nullptr);
  EXPECT_EQ(find(found, "issue")->value, 2);
  EXPECT_EQ(find(found, "issue")->unit, "cycles");
}

TEST(ChainLatency, TakesOffWhatLinksTheCopiesAndSaysIt) {
  const auto found = must(chain_latency("latency.a", samples_of(11), {{"LOP3.LUT", 4.5}, {"SEL", 2}}));
  EXPECT_EQ(found.name, "latency.a");
  EXPECT_DOUBLE_EQ(found.value, 4.5);
  EXPECT_DOUBLE_EQ(found.low, 4.5);
  EXPECT_DOUBLE_EQ(found.high, 4.5);
  EXPECT_EQ(found.note, "via LOP3.LUT (4.5 cycles, encoded), SEL (2 cycles, encoded)");
  EXPECT_EQ(found.method, "slope");
  EXPECT_EQ(found.n, 15);
}

TEST(ChainLatency, WithoutLinksIsTheSlope) {
  const auto found = must(chain_latency("latency.c", samples_of(4), {}));
  EXPECT_DOUBLE_EQ(found.value, 4);
  EXPECT_EQ(found.note, "");
  EXPECT_FALSE(chain_latency("latency.c", samples_of(-1), {}));
}

}  // namespace
}  // namespace warpclock
