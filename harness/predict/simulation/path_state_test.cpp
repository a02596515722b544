#include "predict/simulation/path_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warpclock {
namespace {

PathStep path(int unit, MemoryLevel level, bool write, double part = 1) {
  return {unit, {.level = level, .write = write, .bytes = 64, .busy = 64, .part = part}};
}

/// Accesses of one warp.
class OneWarp : public PathState {
 public:
  using PathState::PathState;
  double pass(const PathStep& path, double from, double now) { return PathState::pass(path, from, now, 1, burst_); }
  void wait() { burst_ = {}; }

 private:
  DramBurst burst_;
};

TEST(PathState, HoldsStoresInL2UntilItIsFull) {
  Program program;
  program.units = {"DRAM"};
  program.memory.held = 100;
  program.memory.written_back = 1;
  OneWarp state(program);
  const PathStep store = path(0, MemoryLevel::Dram, true), load = path(0, MemoryLevel::Dram, false);
  state.pass(store, 0, 0);
  EXPECT_EQ(state.drained(), 0) << "64 of 100 bytes are held";
  state.pass(store, 0, 0);
  EXPECT_EQ(state.drained(), 28) << "28 bytes are too many";
  EXPECT_EQ(state.pass(load, 0, 0), 28);
  EXPECT_EQ(state.busy()[0], 28 + 64 + 64) << "what is loaded takes the place of 64 bytes that are written back";
  EXPECT_EQ(state.pass(path(0, MemoryLevel::Dram, false, 0.25), 0, 0), 0.25 * (28 + 64 + 64))
      << "three of four such loads do not go there";
}

TEST(PathState, AtomicAccessesGoOnInL2UntilTooManyAreUnderWay) {
  Program program;
  program.units = {"lsu", "L2 atomics"};
  OneWarp state(program);
  PathStep reduction = path(1, MemoryLevel::L2, true, 0);
  reduction.cost.atomic = true, reduction.cost.under_way = 100, reduction.holds = 0;
  EXPECT_EQ(state.pass(reduction, 0, 0), 0) << "the warp does not wait";
  EXPECT_EQ(state.take(0, 0, 1), 0);
  state.pass(reduction, 1, 1);
  EXPECT_EQ(state.take(0, 1, 1), 64 + 64 - 100) << "28 cycles of them are too many";
  EXPECT_EQ(state.reduced(), 64 + 64);
  EXPECT_EQ(state.drained(), 0);
  reduction.cost.part = 1;
  EXPECT_EQ(state.pass(reduction, 30, 30), 128) << "what was there is waited for";
}

TEST(PathState, DramTakesLongerWhereBothDirectionsAreUsed) {
  Program program;
  program.units = {"DRAM"};
  program.memory.mixed = 0.5;
  OneWarp state(program);
  const PathStep load = path(0, MemoryLevel::Dram, false), store = path(0, MemoryLevel::Dram, true);
  state.pass(store, 0, 0);
  EXPECT_EQ(state.drained(), 64) << "nothing is read";
  state.pass(load, 0, 0);
  state.pass(store, 0, 0);
  EXPECT_EQ(state.drained(), 64 + 64 + 64 + 32);
  state.pass(store, 1000, 1000);
  EXPECT_EQ(state.drained(), 1064) << "the load is long over";
}

/// 500 to 620 cycles, each as often.
constexpr DramTimes drawn_times{.least = 500, .part_late = 1, .longest = 120};

/// How long a warp waits for `accesses` of so many lines that it makes at once, on the average.
double mean_wait(double lines, int accesses, double part = 1) {
  Program program;
  program.units = {"DRAM"};
  OneWarp state(program);
  PathStep load = path(0, MemoryLevel::Dram, false);
  load.cost.busy = 0, load.cost.part = part, load.cost.dram = {.times = drawn_times, .lines = lines};
  constexpr int rounds = 20'000;
  double sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const double now = 1e4 * (i + 1);
    double last = 0;
    for (int access = 0; access < accesses; ++access) last = std::max(last, state.pass(load, now, now) - now);
    sum += last;
  }
  return sum / rounds;
}

TEST(PathState, AWarpWaitsForTheLastOfTheLinesThatItAskedDramFor) {
  EXPECT_NEAR(mean_wait(1, 1), 560, 2);
  EXPECT_NEAR(mean_wait(1, 2), 500 + 120 * 2 / 3.0, 2) << "two lines by two accesses";
  EXPECT_NEAR(mean_wait(4, 1), 500 + 120 * 4 / 5.0, 2) << "four by one";
  EXPECT_NEAR(mean_wait(1, 1, 0.25), 0.25 * 560, 1) << "one of four goes to DRAM";
}

TEST(PathState, WhatIsInOnePlaceOfDramComesTogether) {
  Program program;
  program.units = {"DRAM"};
  PathState state(program);
  PathStep load = path(0, MemoryLevel::Dram, false);
  load.cost.busy = 0, load.cost.dram = {.times = {.least = 500, .across = 180, .part_late = 1, .longest = 120}};
  const auto at = [&](const DramPlace& place) {
    DramBurst burst;
    return state.pass(load, 0, 0, 1, burst, place);
  };
  const double one = at({1, 1});
  EXPECT_EQ(at({1, 1}), one);
  EXPECT_NE(at({1, 2}), one) << "late at another time";
  EXPECT_NE(at({}), at({})) << "of which nothing is known";
}

TEST(PathState, LinesBesideThoseBeforeComeWithThem) {
  Program program;
  program.units = {"DRAM"};
  OneWarp state(program);
  PathStep load = path(0, MemoryLevel::Dram, false);
  load.cost.busy = 0, load.cost.dram = {.times = drawn_times};
  const double first = state.pass(load, 0, 0);
  load.cost.dram.lines = 0;
  EXPECT_EQ(state.pass(load, 0, 0), first);
  state.wait();
  EXPECT_NE(state.pass(load, 0, 0), first) << "it is waited for alone";
}

TEST(PathState, WhoWaitsForTheRateOfDramHasWaitedMeanwhile) {
  Program program;
  program.units = {"DRAM"};
  OneWarp state(program);
  PathStep load = path(0, MemoryLevel::Dram, false);
  load.cost.busy = 1e6, load.cost.dram = {.times = {.least = 500, .part_late = 1, .longest = 120}};
  state.pass(load, 0, 0);
  EXPECT_EQ(state.pass(load, 0, 0), 1e6 + 500);
}

TEST(PathState, LoadsWaitLongerWhereDramWrites) {
  Program program;
  program.units = {"DRAM"};
  OneWarp state(program);
  PathStep load = path(0, MemoryLevel::Dram, false);
  load.cost.busy = 0, load.cost.dram = {.times = {.least = 500, .across = 0.001}, .writes = 800, .lines = 4};
  const double idle = state.pass(load, 1000, 1000);
  for (int i = 0; i < 10; ++i) state.pass(path(0, MemoryLevel::Dram, true), 2000, 2000);
  const double lines = 1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0;
  EXPECT_NEAR(state.pass(load, 3000, 3000) - 3000 - (idle - 1000), 800 * 640 / 4000.0 * std::sqrt(lines), 0.1)
      << "it wrote for 640 cycles of 3000, and 1000 that count as idle";
}

TEST(PathState, CopiesWaitForWritesToo) {
  Program program;
  program.units = {"DRAM"};
  OneWarp state(program);
  PathStep copy = path(0, MemoryLevel::Dram, false);
  copy.cost.busy = 0, copy.cost.dram = {.writes = 800};
  for (int i = 0; i < 10; ++i) state.pass(path(0, MemoryLevel::Dram, true), 2000, 2000);
  EXPECT_EQ(state.pass(copy, 3000, 3000), 3000 + 800 * 640 / 4000.0) << "no time of theirs is drawn";
}

TEST(PathState, AnSmTakesOfDramWhatTheOthersLeave) {
  const auto begins = [](bool lends) {
    Program program;
    program.units = {"DRAM"};
    OneWarp state(program);
    PathStep load = path(0, MemoryLevel::Dram, false);
    load.cost.lent = lends ? 2000 : 0;
    for (int i = 0; i < 15; ++i) state.pass(load, 1000, 1000);
    return state.pass(load, 1000, 1000);
  };
  EXPECT_EQ(begins(false), 1000 + 15 * 64) << "its own part";
  EXPECT_EQ(begins(true), 1000) << "for 1000 cycles it had asked for nothing";
}

TEST(PathState, RequestsOfLoadsGoBetweenStores) {
  Program program;
  program.units = {"L2", "L2 stores"};
  OneWarp state(program);
  PathStep load = path(0, MemoryLevel::L2, false);
  load.asks = 1, load.cost.asked = 16;
  const PathStep store = path(1, MemoryLevel::L2, true);
  EXPECT_EQ(state.pass(load, 0, 0), 0);
  state.pass(store, 0, 0);
  EXPECT_EQ(state.drained(), 16 + 64);
  EXPECT_EQ(state.pass(load, 0, 0), 64) << "it waits for loads only";
}

/// cp.async beside multiplies that take every turn: neither is slower (docs/findings.md, "cp.async does not delay
/// wgmma").
TEST(PathState, WhatIsWrittenAndMultipliesDoNotWaitForEachOther) {
  Program program;
  program.units = {"lsu"};
  program.operands = 0;
  PathState state(program);
  EXPECT_EQ(state.take(0, 0, 4, true), 0);
  EXPECT_EQ(state.take(0, 0, 4, true), 0) << "it writes when its data come";
  EXPECT_EQ(state.take(0, 0, 1), 8) << "what reads waits for that";
  PathState other(program);
  for (int i = 0; i < 16; ++i) other.take(0, 0, 4, true);
  EXPECT_EQ(other.multiply(0, 0, 32, 32), 32);
  EXPECT_EQ(other.busy()[0], 64) << "the longer of both";
  other.take(0, 0, 4, true);
  EXPECT_EQ(other.take(0, 100, 1), 100);
  EXPECT_EQ(other.multiply(100, 100, 32, 32), 133) << "what reads is served in turns";
}

}  // namespace
}  // namespace warpclock
