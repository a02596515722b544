#include "base/testing/matchers.hpp"
#include "gpu/counters/counters.hpp"
#include "measure/counting.hpp"

namespace warpclock {
namespace {

std::vector<std::size_t> order(const Pipes& likely) {
  std::vector<std::size_t> sets;
  Pipes read;
  while (const auto next = next_set(pipe_sets(), likely, read)) {
    sets.push_back(*next);
    read.insert(pipe_sets()[*next].begin(), pipe_sets()[*next].end());
    if (sets.size() > pipe_sets().size()) break;
  }
  return sets;
}

TEST(CounterSets, AFirstSetHasWhatIsLikely) {
  EXPECT_EQ(order({"alu"}).front(), 0U);
  EXPECT_EQ(order({"fma", "lsu"}).front(), 0U);
  EXPECT_EQ(order({"xu"}).front(), 1U);
  EXPECT_EQ(order({"alu", "fma", "xu"}).front(), 1U);
  EXPECT_EQ(order({"tensor"}).front(), 4U);
  EXPECT_EQ(order({"fp64", "xu"}).front(), 2U);
  EXPECT_EQ(order({"tex"}).front(), 5U);
  EXPECT_EQ(order({"adu"}).front(), 3U);
}

TEST(CounterSets, WhatIsLikelyAndNotReadComesNext) {
  EXPECT_THAT(order({"alu", "fma", "tensor"}), ElementsAre(0, 4, 2, 3, 5));
  EXPECT_THAT(order({"alu", "uniform"}), ElementsAre(0, 3, 2, 4, 5));
}

TEST(CounterSets, EveryPipeIsReadAtLast) {
  for (const Pipes& likely : {Pipes{}, Pipes{"xu"}, Pipes{"tensor", "lsu"}, Pipes{"cbu", "fp64"}, Pipes{"nonsense"}}) {
    Pipes all, read;
    for (const Pipes& set : pipe_sets()) all.insert(set.begin(), set.end());
    for (const std::size_t set : order(likely)) read.insert(pipe_sets()[set].begin(), pipe_sets()[set].end());
    EXPECT_EQ(read, all);
  }
  EXPECT_THAT(order({}), ElementsAre(0, 2, 3, 4, 5)) << "no set that has nothing new";
}

TEST(CounterSets, ASetIsReadInOnePass) {
  if (!counters_built()) GTEST_SKIP() << "a build without CUPTI";
  for (const Pipes& set : pipe_sets()) {
    const std::vector<std::string> names = metrics_of(set);
    EXPECT_EQ(must(counter_passes("GH100", separable_by_sm(set) ? pair_metrics(names) : names)), 1U) << names.back();
  }
}

TEST(LikelyPipes, AreOfWhatGrowsWithTheCopies) {
  Trial trial;
  EXPECT_THAT(likely_pipes(trial), IsEmpty());
  Verdict small, large;
  small.opcodes = {{"CS2R", 2}, {"FFMA", 12}, {"MUFU.RCP", 6}, {"S2R", 1}};
  large.opcodes = {{"CS2R", 2}, {"FFMA", 24}, {"HMMA", 1}, {"MUFU.RCP", 12}, {"S2R", 1}};
  trial.verdict.verdicts = {small, small, large};
  EXPECT_THAT(likely_pipes(trial), ElementsAre("fma", "tensor", "xu"));
}

}  // namespace
}  // namespace warpclock
