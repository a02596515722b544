#include "predict/simulation/code_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "predict/program/fetch_cost.hpp"

namespace warpclock {
namespace {

constexpr std::size_t of_line = 8;  // instructions

TEST(CodeLines, AreFetchedOneAfterTheOther) {
  CodeLines lines({.second = 20, .far = 50, .nearest_lines = 8, .second_lines = 16}, 7 * of_line);
  EXPECT_EQ(lines.ready(3, 100), 100) << "the first one comes with the launch";
  EXPECT_EQ(lines.ready(of_line, 108), 120);
  EXPECT_EQ(lines.ready(of_line + 7, 110), 120) << "another warp waits for the same";
  EXPECT_EQ(lines.ready(2 * of_line, 170), 170) << "while the warp waited, it came";
  EXPECT_EQ(lines.ready(6 * of_line, 175), 200) << "after the one that is fetched";
  EXPECT_EQ(lines.ready(4 * of_line, 176), 180);
}

TEST(CodeLines, TheOneThatWasUsedLongestAgoMakesRoom) {
  CodeLines lines({.second = 20, .far = 50, .nearest_lines = 2, .second_lines = 16}, 6 * of_line);
  EXPECT_EQ(lines.ready(0, 0), 0);
  EXPECT_EQ(lines.ready(of_line, 0), 20);
  EXPECT_EQ(lines.ready(0, 10), 10);
  EXPECT_EQ(lines.ready(3 * of_line, 20), 40) << "the third one, to which no warp has come, takes no room";
  EXPECT_EQ(lines.ready(4 * of_line, 100), 100) << "it came in the place of the first one";
  EXPECT_EQ(lines.ready(of_line, 200), 220);
}

TEST(CodeLines, WhatComesAfterALoopDoesNotPushItOut) {
  CodeLines lines({.second = 20, .far = 50, .nearest_lines = 4, .second_lines = 16}, 10 * of_line);
  double now = 0;
  for (int trip = 0; trip < 8; ++trip) {
    const double begin = now;
    for (std::size_t line = 1; line <= 3; ++line) now = lines.ready(line * of_line, now + 100);
    if (trip > 0) {
      EXPECT_EQ(now, begin + 300) << trip;
    }
  }
}

TEST(CodeLines, CodeThatTheNextCacheDoesNotHoldComesFromFar) {
  CodeLines lines({.second = 20, .far = 50, .nearest_lines = 1, .second_lines = 2}, 3 * of_line);
  EXPECT_EQ(lines.ready(of_line, 0), 50);
}

TEST(CodeLines, TheLineOfAJumpTakesLongerThanTheNext) {
  const FetchCost warm{.second = 20, .second_jump = 60, .far_jump = 200, .nearest_lines = 8, .second_lines = 16};
  CodeLines lines(warm, 9 * of_line);
  EXPECT_EQ(lines.ready(0, 0), 0);
  EXPECT_EQ(lines.ready(4 * of_line, 5), 65) << "at once, although another line is fetched";
  EXPECT_EQ(lines.ready(5 * of_line, 70), 85) << "the next one";
  EXPECT_EQ(lines.ready(4 * of_line, 90), 90);
  FetchCost cold = warm;
  cold.cold = true;
  CodeLines others(cold, 9 * of_line);
  EXPECT_EQ(others.ready(0, 0), 0);
  EXPECT_EQ(others.ready(4 * of_line, 5), 205);
  EXPECT_EQ(others.ready(5 * of_line, 210), 225);
}

TEST(CodeLines, CostNothingWithoutRows) {
  CodeLines lines({}, 100 * of_line);
  EXPECT_EQ(lines.ready(99 * of_line, 7), 7);
}

TEST(FetchCost, IsWhatLoopsTakeBeyondThoseThatTheNearestCacheHolds) {
  Machine machine;
  machine.capacities.push_back({.name = "code", .leaves = {{.name = "nearest", .value = 28}}});
  for (const auto& [kib, interval] : {std::pair{16, 1.25}, {24, 1.0}, {32, 1.5}, {64, 2.25}, {128, 2.5}, {256, 6.0}})
    machine.capacities.push_back(
        {.name = "code.kib_" + std::to_string(kib), .leaves = {{.name = "interval", .value = interval}}});
  for (const auto& [jumps, interval] : {std::pair{"32_32", 20.0}, {"128_64", 80.0}, {"128_128", 230.0}})
    machine.capacities.push_back(
        {.name = std::string("code.jump_") + jumps, .leaves = {{.name = "interval", .value = interval}}});
  const FetchCost cost = fetch_cost(machine);
  EXPECT_EQ(cost.second_jump, 60);
  EXPECT_EQ(cost.far_jump, 210);
  EXPECT_EQ(cost.nearest_lines, 28 * 8);
  EXPECT_EQ(cost.second_lines, 128 * 8);
  EXPECT_EQ(cost.second, 8 * 2.5);
  EXPECT_EQ(cost.far, 8 * 6.0);
  EXPECT_EQ(fetch_cost({}).far, 0);
}

}  // namespace
}  // namespace warpclock
