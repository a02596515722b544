#include "gpu/job/samples.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

TEST(SmClock, MovedIfItsReadingsDifferByMoreThanHalfAPercent) {
  EXPECT_FALSE((SmClock{2000, 1995, 2004}).moved());
  EXPECT_TRUE((SmClock{2070, 2057, 2100}).moved());
  EXPECT_FALSE(SmClock{}.moved());
}

TEST(SmClock, HasARangeOnlyIfTheRecordHasOne) {
  EXPECT_EQ(sm_clock({.sm_mhz = 1980}).low, 1980);
  const SmClock moved = sm_clock({.sm_mhz = 2070, .sm_low_mhz = 2057, .sm_high_mhz = 2100});
  EXPECT_EQ(moved.low, 2057);
  EXPECT_EQ(moved.high, 2100);
}

TEST(MeanPower, IsOfTheRowsOwnLaunches) {
  EXPECT_DOUBLE_EQ(mean_power_w({.energy_j = 130.8, .energy_s = 0.2}).value(), 654);
  EXPECT_FALSE(mean_power_w({.power_w = 442})) << "a mean over the second before, in records of earlier versions";
}

TEST(TimerRatio, DiffersByMoreThanATenthOfAPercent) {
  EXPECT_FALSE((TimerRatio{.ratio = 0.999985, .error = 1e-6, .seconds = 60}).differs());
  EXPECT_TRUE((TimerRatio{.ratio = 1.05, .error = 1e-6, .seconds = 60}).differs());
  EXPECT_TRUE((TimerRatio{.ratio = 0.995, .error = 1e-4, .seconds = 0.1}).differs());
  EXPECT_FALSE((TimerRatio{.ratio = 1.0012, .error = 3e-4, .seconds = 0.1}).differs()) << "it may be 1.0009";
  EXPECT_FALSE((TimerRatio{.ratio = 1.05, .error = 0.1, .seconds = 0.1}).differs()) << "nothing is known";
  EXPECT_FALSE(TimerRatio{}.differs());
}

TEST(LaunchCycles, IsLatestCloseMinusEarliestOpenOfABlock) {
  const std::vector<std::uint64_t> clocks = {100, 150, 110, 190};
  EXPECT_EQ(launch_cycles(clocks, 2).value(), 90);
  EXPECT_EQ(launch_cycles(clocks, 1).value(), 65);  // two blocks of 50 and 80
  EXPECT_EQ(launch_cycles(std::vector<std::uint64_t>{110, 190, 100, 150}, 2).value(), 90);
}

TEST(LaunchCycles, IsTheMidmeanOverBlocks) {
  const std::vector<std::uint64_t> clocks = {0, 10, 1000, 1012, 7, 907, 20, 34};
  EXPECT_EQ(launch_cycles(clocks, 1).value(), 13);
}

TEST(BlockCycles, AreOneABlockAndZeroForOneThatReportedNothing) {
  const std::vector<std::uint64_t> clocks = {100, 150, 110, 190, 0, 0, 0, 0, 7, 9, 0, 0};
  EXPECT_THAT(block_cycles(clocks, 2).value(), ElementsAre(90, 0, 2));
  EXPECT_EQ(block_cycles(std::vector<std::uint64_t>{9, 8}, 1).error().code, "clocks");
}

TEST(LaunchCycles, LeavesOutWarpsThatReportedNothing) {
  const std::vector<std::uint64_t> clocks = {0, 0, 500, 520, 0, 0, 0, 0};
  EXPECT_EQ(launch_cycles(clocks, 2).value(), 20);
}

TEST(LaunchCycles, HoldsBeyond53Bits) {
  const std::uint64_t start = (1ULL << 60) + 1;
  EXPECT_EQ(launch_cycles(std::vector<std::uint64_t>{start, start + 33}, 1).value(), 33);
}

TEST(LaunchCycles, RefusesReadingsThatMakeNoSense) {
  EXPECT_EQ(launch_cycles({}, 1).error().code, "clocks");
  EXPECT_EQ(launch_cycles(std::vector<std::uint64_t>{0, 0}, 1).error().code, "clocks");
  EXPECT_EQ(launch_cycles(std::vector<std::uint64_t>{9, 8}, 1).error().code, "clocks");
  EXPECT_EQ(launch_cycles(std::vector<std::uint64_t>{1, 2, 3, 4}, 3).error().code, "clocks");
  EXPECT_EQ(launch_cycles(std::vector<std::uint64_t>{1, 2}, 0).error().code, "clocks");
}

TEST(Append, AddsSamplesAndThrottleReasonsAndKeepsCounters) {
  Observation all{
      .samples = {{16, {1, 2}}},
      .facts = {{"f", 1}, {"only", 7}},
      .counters = {{"c", 5}},
      .clock = {.sm_mhz = 1000, .memory_mhz = 1, .throttle = {"sw-power-cap"}, .power_w = 1, .temperature_c = 1}};
  append(all,
         {.samples = {{16, {3}}, {64, {9}}},
          .facts = {{"f", 2}},
          .counters_missing = "later",
          .clock = {.sm_mhz = 1100, .memory_mhz = 2, .throttle = {"hw-slowdown"}, .power_w = 2, .temperature_c = 2}});
  ASSERT_EQ(all.samples.size(), 2U);
  EXPECT_THAT(all.samples[0].cycles, ElementsAre(1, 2, 3));
  EXPECT_THAT(all.samples[1].cycles, ElementsAre(9));
  EXPECT_EQ(all.facts.at("f"), 2);
  EXPECT_EQ(all.facts.at("only"), 7);
  EXPECT_EQ(all.counters.at("c"), 5);
  EXPECT_EQ(all.counters_missing, "");
  EXPECT_EQ(all.clock.sm_mhz, 1100);
  EXPECT_EQ(all.clock.sm_low_mhz, 1000) << "a number that multiplies by the clock has an interval";
  EXPECT_EQ(all.clock.sm_high_mhz, 1100);
  EXPECT_THAT(all.clock.throttle, ElementsAre("hw-slowdown", "sw-power-cap"));
}

}  // namespace
}  // namespace warpclock
