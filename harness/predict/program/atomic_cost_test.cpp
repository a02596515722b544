#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "predict/program/memory_cost.hpp"

namespace warpclock {
namespace {

/// Of two SMs, by lines: a whole line takes 4 sectors of 2 cycles, of two slices at once from 8 lines on; random lanes
/// twice that.
Machine machine_of_lines() {
  Machine made;
  made.stated.sms = 2;
  for (const auto& [lines, slices] : std::map<int, double>{{1, 1}, {8, 2}, {1024, 64}}) {
    constexpr double sector = 2, words = 8;
    const auto add = [&](const std::string& what, double rate) {
      made.transfers.push_back({.name = fmt::format("l2.reduction.{}.lines_{}", what, lines),
                                .leaves = {{.name = "rate.all_sms", .value = rate}}});
    };
    for (const char* summand : {"u32", "f32"}) add(summand + std::string(".whole"), words * slices / sector);
    add("u64.whole", words / 2 * slices / sector);
    add("u32.scatter", slices / sector / 2);
  }
  const auto at_one_word = [&](const std::string& summand, double rate) {
    made.instructions.push_back(
        {.name = "atom.global.add." + summand + ".lanes_address", .leaves = {{.name = "rate", .value = rate}}});
  };
  at_one_word("u32", 0.5), at_one_word("u64", 0.5), at_one_word("f32", 0.125);
  return made;
}

PathCost cost_of(const std::string& sass, const AccessPattern& pattern, const Machine& machine = machine_of_lines()) {
  const auto cost = must(MemoryCosts(machine, {}).of(testing::instruction(sass), pattern, {}));
  EXPECT_EQ(cost.paths.size(), 1U);
  return cost.paths.empty() ? PathCost() : cost.paths[0];
}

constexpr const char* reduction = "s2 r0 | REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5";

AccessPattern of_whole_line(double lines) {
  return {.deduced = true, .sectors = 4, .lines = 1, .word_turns = 4, .active = 32, .meeting = {.lines = lines}};
}

TEST(AtomicCost, WholeLinesAreAsFastAsTheSlicesThatHaveThem) {
  EXPECT_NEAR(cost_of(reduction, of_whole_line(1)).busy, 8, 1e-9);
  EXPECT_NEAR(cost_of(reduction, of_whole_line(8)).busy, 4, 1e-9);
  EXPECT_NEAR(cost_of(reduction, of_whole_line(1024)).busy, 8.0 / 64, 1e-9);
  EXPECT_NEAR(cost_of(reduction, of_whole_line(1e6)).busy, 8.0 / 64, 1e-9) << "as the most that were measured";
  EXPECT_NEAR(cost_of(reduction, of_whole_line(0)).busy, 8.0 / 64, 1e-9) << "not known";
  const AccessPattern wide{
      .deduced = true, .sectors = 8, .lines = 2, .word_turns = 8, .active = 32, .meeting = {.lines = 8}};
  EXPECT_NEAR(cost_of("s2 r0 | REDG.E.ADD.64.STRONG.GPU desc[UR4][R2.64], R6", wide).busy, 8, 1e-9);
}

TEST(AtomicCost, WhatGoesToOneLineIsAsSlowAsIfItWereAlone) {
  AccessPattern pattern = of_whole_line(1024);
  pattern.meeting.hottest_line = 0.5;
  EXPECT_NEAR(cost_of(reduction, pattern).busy, 4, 1e-9);
}

TEST(AtomicCost, LanesTakeTurnsAtAWord) {
  AccessPattern pattern{
      .deduced = true, .sectors = 1, .lines = 1, .word_turns = 32, .active = 32, .meeting = {1, 1, 1}};
  EXPECT_NEAR(cost_of(reduction, pattern).busy, 64, 0.1);
  EXPECT_NEAR(cost_of("s2 r0 | REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5", pattern).busy, 256, 1e-9)
      << "an addition of floats waits for the one before";
  pattern.meeting.hottest_word = 0.1;
  EXPECT_NEAR(cost_of("s2 r0 | REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5", pattern).busy, 64, 0.1)
      << "to other words it does not";
}

TEST(AtomicCost, OnlyAWarpThatUsesWhatWasThereWaits) {
  EXPECT_EQ(cost_of(reduction, of_whole_line(8)).part, 0);
  EXPECT_EQ(cost_of("s2 w0 | ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R2.64], R5", of_whole_line(8)).part, 1);
  EXPECT_TRUE(cost_of(reduction, of_whole_line(8)).atomic);
}

TEST(AtomicCost, WithoutRowsOverLinesThereAreThoseOfFewPlaces) {
  Machine machine = machine_of_lines();
  machine.transfers.clear();
  const AccessPattern pattern = of_whole_line(1);
  EXPECT_TRUE(must(MemoryCosts(machine, {}).of(testing::instruction(reduction), pattern, {})).paths.empty());
  for (const auto& [where, rate] : std::map<std::string, double>{{"line", 2}, {"scatter", 1}, {"own", 16}})
    machine.instructions.push_back(
        {.name = "atom.global.add.u32.lanes_" + where, .leaves = {{.name = "rate", .value = rate}}});
  EXPECT_NEAR(cost_of(reduction, pattern, machine).busy, 4 * 8 / 2.0, 1e-9);
  EXPECT_NEAR(cost_of(reduction, of_whole_line(4096), machine).busy, 4 * 8 / 16.0, 1e-9);
}

}  // namespace
}  // namespace warpclock
