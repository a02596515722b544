#include <algorithm>

#include "base/testing/matchers.hpp"
#include "measure/counting.hpp"

namespace warpclock {
namespace {

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
