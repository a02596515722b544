#include "predict/simulation/path_state.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

PathStep path(int unit, MemoryLevel level, bool write, double part = 1) {
  return {unit, {.level = level, .write = write, .bytes = 64, .busy = 64, .part = part}};
}

TEST(PathState, HoldsStoresInL2UntilItIsFull) {
  Program program;
  program.units = {"DRAM"};
  program.memory.held = 100;
  program.memory.written_back = 1;
  PathState state(program);
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

TEST(PathState, DramTakesLongerWhereBothDirectionsAreUsed) {
  Program program;
  program.units = {"DRAM"};
  program.memory.mixed = 0.5;
  PathState state(program);
  const PathStep load = path(0, MemoryLevel::Dram, false), store = path(0, MemoryLevel::Dram, true);
  state.pass(store, 0, 0);
  EXPECT_EQ(state.drained(), 64) << "nothing is read";
  state.pass(load, 0, 0);
  state.pass(store, 0, 0);
  EXPECT_EQ(state.drained(), 64 + 64 + 64 + 32);
  state.pass(store, 1000, 1000);
  EXPECT_EQ(state.drained(), 1064) << "the load is long over";
}

TEST(PathState, RequestsOfLoadsGoBetweenStores) {
  Program program;
  program.units = {"L2", "L2 stores"};
  PathState state(program);
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
