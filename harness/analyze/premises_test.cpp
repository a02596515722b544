#include "analyze/premises.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Limits, AreBrokenByAWholeInterval) {
  Measure measure;
  measure.name = "rate";
  measure.unit = "B/clk/SM";
  Estimate estimate;
  estimate.value = 128.3;
  estimate.low = 127.9;
  EXPECT_FALSE(judge_limit(measure, estimate, 1980)) << "none is known";
  measure.limit = {128, false, "32 banks of 4 bytes"};
  const auto held = must(judge_limit(measure, estimate, 1980));
  EXPECT_TRUE(held.known && held.held);
  EXPECT_EQ(held.text, "rate is at most 128 B/clk/SM: 32 banks of 4 bytes");
  EXPECT_EQ(held.value, 128.3);
  estimate.low = 128;
  EXPECT_TRUE(judge_limit(measure, estimate, 1980)->held) << "the limit itself";
  estimate.low = 128.1;
  EXPECT_FALSE(judge_limit(measure, estimate, 1980)->held);
}

TEST(Limits, OfTheMemoryAreAtTheClockThatWasMeasured) {
  Measure measure;
  measure.limit = {40000, true, "its bus"};
  Estimate estimate;
  estimate.low = 21;
  measure.name = "rate";
  EXPECT_FALSE(judge_limit(measure, estimate, 2000)->held) << "20 B a clock";
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
