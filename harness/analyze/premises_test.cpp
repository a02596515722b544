#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analyze/estimates.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

TEST(Premises, AreJudgedByFactOrCounter) {
  const std::vector<PremiseRule> rules = {{"layout", "mismatches", Relation::Equal, 0},
                                          {"hits", "hit_rate", Relation::AtLeast, 90},
                                          {"quiet", "conflicts", Relation::AtMost, 4}};
  const auto held = judge(rules, {{"mismatches", 0}}, {{"hit_rate", 90}, {"conflicts", 4}}, "");
  ASSERT_EQ(held.size(), 3u);
  for (const Premise& premise : held) EXPECT_TRUE(premise.known && premise.held) << premise.text;
  const auto broken = judge(rules, {{"mismatches", 1}}, {{"hit_rate", 89.9}, {"conflicts", 4.1}}, "");
  for (const Premise& premise : broken) EXPECT_TRUE(premise.known && !premise.held) << premise.text;
  EXPECT_DOUBLE_EQ(broken[1].value, 89.9);
}

TEST(Premises, EqualForgivesTheLastBitsOfAQuotient) {
  const std::vector<PremiseRule> rules = {{"t", "v", Relation::Equal, 1e9}};
  EXPECT_TRUE(judge(rules, {}, {{"v", 1e9 + 0.5}}, "")[0].held);
  EXPECT_FALSE(judge(rules, {}, {{"v", 1e9 + 2}}, "")[0].held);
}

TEST(Premises, WithoutCountersAreUnknown) {
  const std::vector<PremiseRule> rules = {{"hits", "hit_rate", Relation::AtLeast, 90}};
  const auto refused = judge(rules, {}, {}, "no permission");
  EXPECT_FALSE(refused[0].known);
  EXPECT_FALSE(refused[0].held);
  EXPECT_EQ(refused[0].why_unknown, "no permission");
  EXPECT_EQ(judge(rules, {}, {}, "")[0].why_unknown, "nothing wrote 'hit_rate'");
  EXPECT_EQ(judge(rules, {}, {{"hit_rate", std::nan("")}}, "")[0].why_unknown, "'hit_rate' is not a number");
}

Estimate between(double low, double value, double high) {
  Estimate estimate;
  estimate.value = value;
  estimate.low = low;
  estimate.high = high;
  return estimate;
}

TEST(Limits, LeaveWhatTheHardwareCanDo) {
  // cp.async.wait_group on an H100: the middle of the interval is above what four schedulers can issue.
  Estimate above = between(127.01, 129.18, 130.43);
  EXPECT_TRUE(keep_possible(above, {.most = 128}));
  EXPECT_EQ(above, between(127.01, 127.505, 128));
  Estimate below = between(127.01, 127.98, 130.43);
  EXPECT_TRUE(keep_possible(below, {.most = 128}));
  EXPECT_EQ(below, between(127.01, 127.98, 128)) << "a possible value stays";
  Estimate wrong = between(128.1, 129, 130);
  EXPECT_FALSE(keep_possible(wrong, {.most = 128}));
  EXPECT_EQ(wrong, between(128.1, 129, 130));
  Estimate interval = between(0.98, 0.99, 1.02);
  EXPECT_TRUE(keep_possible(interval, {.least = 1}));
  EXPECT_EQ(interval, between(1, 1.01, 1.02));
  EXPECT_FALSE(keep_possible(interval, {.least = 1.03}));
}

// Whatever the noise of a case that runs at the limit, its row is measured, and no value is above.
TEST(Limits, ACaseAtItsLimitIsMeasuredWhateverItsNoise) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.3);
  for (int i = 0; i < 1000; ++i) {
    const double value = 128 + noise(random);
    Estimate estimate = between(value - 1, value, value + 1);
    ASSERT_TRUE(keep_possible(estimate, {.most = 128})) << value;
    EXPECT_LE(estimate.value, 128);
    EXPECT_LE(estimate.low, estimate.value);
    EXPECT_LE(estimate.value, estimate.high);
    EXPECT_NEAR(estimate.value, value, 1);
  }
}

TEST(Limits, AreBrokenByAWholeInterval) {
  Measure measure;
  measure.name = "rate";
  measure.unit = "B/clk/SM";
  Estimate estimate = between(127.9, 128.3, 129);
  EXPECT_FALSE(judge_limit(measure, estimate, 1980)) << "none is known";
  measure.limit = {128, false, "32 banks of 4 bytes", true};
  const auto held = must(judge_limit(measure, estimate, 1980));
  EXPECT_TRUE(held.known && held.held);
  EXPECT_EQ(held.text, "rate is at most 128 B/clk/SM: 32 banks of 4 bytes");
  EXPECT_DOUBLE_EQ(held.value, 127.95);
  EXPECT_DOUBLE_EQ(estimate.value, 127.95);
  estimate = between(128, 128.3, 129);
  EXPECT_TRUE(judge_limit(measure, estimate, 1980)->held) << "the limit itself";
  estimate = between(128.1, 128.3, 129);
  EXPECT_FALSE(judge_limit(measure, estimate, 1980)->held);
  measure.limit.cuts = false;
  estimate = between(127.9, 128.3, 129);
  EXPECT_TRUE(judge_limit(measure, estimate, 1980)->held);
  EXPECT_EQ(estimate, between(127.9, 128.3, 129)) << "rows of older records stay as they are";
}

TEST(Limits, OfTheMemoryAreAtTheClockThatWasMeasured) {
  Measure measure;
  measure.limit = {40000, true, "its bus", true};
  Estimate estimate = between(19, 21, 22);
  measure.name = "rate";
  EXPECT_FALSE(judge_limit(measure, estimate, 2000)->held) << "20 B a clock, which no memory reaches";
  measure.limit.cuts = false;
  EXPECT_TRUE(judge_limit(measure, estimate, 2000)->held) << "as in older records";
  measure.limit.cuts = true;
  EXPECT_EQ(judge_limit(measure, estimate, 2000)->text, "rate is at most its bus") << "one premise at all clocks";
  EXPECT_EQ(limit_at(measure.limit, 2000), 20);
  EXPECT_TRUE(judge_limit(measure, estimate, 1500)->held) << "26.7 B a clock";
  EXPECT_FALSE(judge_limit(measure, estimate, 0)) << "no clock, no limit";
}

TEST(Premises, SayWhatWasSeen) {
  const PremiseRule rule = {"hits in L1", "hit_rate", Relation::AtLeast, 90};
  EXPECT_EQ(broken_text(rule, judge({rule}, {}, {{"hit_rate", 51.25}}, "")[0]),
            "hits in L1: hit_rate should be at least 90, was 51.25");
}

}  // namespace
}  // namespace warpclock
