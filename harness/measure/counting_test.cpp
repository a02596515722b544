#include "measure/counting.hpp"

#include <algorithm>

#include "base/testing/matchers.hpp"
#include "gpu/counters/counters.hpp"

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

const std::vector<std::string> names{"smsp__inst_executed.sum", "smsp__inst_executed_pipe_alu.sum"};

/// CUPTI's values for SMs that executed these numbers of instructions.
CounterValues counted(std::string_view counter, const std::vector<double>& sms) {
  double sum = 0;
  for (const double one : sms) sum += one;
  return {{"smsp__" + std::string(counter) + ".sum", sum},
          {"sm__" + std::string(counter) + ".min", std::ranges::min(sms)},
          {"sm__" + std::string(counter) + ".max", std::ranges::max(sms)}};
}

TEST(PairMetrics, AreTheSumAndTheExtremesOfAnSm) {
  EXPECT_THAT(pair_metrics(names), ElementsAre("smsp__inst_executed.sum", "sm__inst_executed.min",
                                               "sm__inst_executed.max", "smsp__inst_executed_pipe_alu.sum",
                                               "sm__inst_executed_pipe_alu.min", "sm__inst_executed_pipe_alu.max"));
}

TEST(ToldApart, TheLargerOnEverySmAndTheSmallerOnOne) {
  CounterValues values = counted("inst_executed", {300, 420, 300, 300});
  values.merge(counted("inst_executed_pipe_alu", {64, 80, 64, 64}));
  const auto pair = must(separate_pair(values, names, 4));
  EXPECT_EQ(pair.larger, (CounterValues{{names[0], 300}, {names[1], 64}}));
  EXPECT_EQ(pair.smaller, (CounterValues{{names[0], 120}, {names[1], 16}}));
}

TEST(ToldApart, NotWhereTheBlocksWereSpreadInAnotherWay) {
  EXPECT_FALSE(separate_pair(counted("inst_executed", {720, 0, 300, 300}), names, 4)) << "two blocks on one SM";
  EXPECT_FALSE(separate_pair(counted("inst_executed", {420, 308, 300, 300}), names, 4)) << "an SM that does more";
  EXPECT_FALSE(separate_pair(counted("inst_executed", {420, 300, 300, 300}), names, 5)) << "an SM that was not counted";
}

TEST(ToldApart, WhatHasNoValueIsMissing) {
  CounterValues values = counted("inst_executed", {300, 420, 300, 300});
  values["smsp__inst_executed_pipe_alu.sum"] = 7;
  EXPECT_EQ(must(separate_pair(values, names, 4)).larger, (CounterValues{{names[0], 300}}));
  EXPECT_THAT(separate_pair({}, names, 4)->larger, IsEmpty());
}

}  // namespace
}  // namespace warpclock
