#include "compose/copies/schedule.hpp"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

/// What is wrong with a schedule; empty if nothing is.
std::string fault(const PeriodicSchedule& schedule, const std::vector<IssueSlot>& words,
                  const std::vector<IssueDependence>& dependences) {
  for (const IssueDependence& one : dependences) {
    if (schedule.at[one.to] + one.copies * schedule.period < schedule.at[one.from] + one.cycles) return "too early";
  }
  std::set<int> issued;
  std::map<std::string_view, std::set<int>> busy;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!issued.insert(schedule.at[i] % schedule.period).second) return "two at once";
    for (int k = 0; k < words[i].busy; ++k) {
      if (!busy[words[i].pipe].insert((schedule.at[i] + k) % schedule.period).second) return "the pipe is busy";
    }
  }
  return {};
}

TEST(LeastPeriod, IsTheLongestChainThroughACopy) {
  // From word 0 to word 1 four cycles, and five to word 0 of the next copy; two copies later, twenty.
  EXPECT_EQ(least_period(2, {{0, 1, 0, 4}, {1, 0, 1, 5}, {1, 0, 2, 7}}), 9);
  EXPECT_EQ(least_period(2, {{0, 1, 0, 4}, {1, 0, 2, 15}}), 10);
  EXPECT_EQ(least_period(2, {{0, 1, 0, 4}}), 1);
  EXPECT_EQ(least_period(1, {{0, 0, 0, 1}}), std::nullopt) << "it waits for itself";
}

TEST(PeriodicSchedule, LetsNothingDelayTheChain) {
  // Word 1 is on the chain. Word 0 is not, and would delay it if it issued a cycle before on the same pipe.
  const std::vector<IssueSlot> words{{"alu", 2}, {"alu", 2}};
  const auto schedule = must(periodic_schedule(words, {{1, 1, 1, 4}}));
  EXPECT_EQ(schedule.period, 4);
  EXPECT_EQ(fault(schedule, words, {{1, 1, 1, 4}}), "");
}

TEST(PeriodicSchedule, IsAsLongAsItsFullestPipe) {
  const std::vector<IssueSlot> words{{"alu", 2}, {"alu", 2}, {"alu", 2}, {"fma", 1}};
  EXPECT_EQ(must(periodic_schedule(words, {{1, 1, 1, 4}})).period, 6);
}

TEST(PeriodicSchedule, HoldsForRandomBodies) {
  std::mt19937 random(1);
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int round = 0; round < 300; ++round) {
    std::vector<IssueSlot> words;
    std::vector<IssueDependence> dependences;
    const int count = draw(1, 12);
    for (int i = 0; i < count; ++i) words.push_back({draw(0, 1) == 0 ? "alu" : "fma", draw(1, 2)});
    for (int i = 0; i < 2 * count; ++i) {
      const auto from = static_cast<std::size_t>(draw(0, count - 1)), to = static_cast<std::size_t>(draw(0, count - 1));
      dependences.push_back({from, to, from < to ? draw(0, 1) : draw(1, 3), draw(1, 12)});
    }
    const auto schedule = periodic_schedule(words, dependences);
    ASSERT_TRUE(schedule) << round;
    EXPECT_EQ(fault(*schedule, words, dependences), "") << round;
    EXPECT_GE(schedule->period, *least_period(words.size(), dependences));
  }
}

}  // namespace
}  // namespace warpclock
