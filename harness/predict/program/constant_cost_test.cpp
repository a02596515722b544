#include "predict/program/constant_cost.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

/// The nearest cache answers after 30 cycles, the next one after 100.
Machine with_constants() {
  Machine made;
  made.transfers = {
      {.name = "constant.load", .leaves = {{.name = "latency", .value = 30}, {.name = "latency.next", .value = 100}}}};
  return made;
}

struct Added {
  ProgramStep step;
  bool in_range = false;
};

Added added(const Machine& machine, const ConstantUse& use) {
  Added made{.step = {.unit = 0, .unit_busy = {2, 2}, .latency = {30, 30}}};
  made.in_range = add_constants(made.step, machine, use);
  return made;
}

TEST(Constants, OfSeveralAddressesEachTakesATurn) {
  Machine made = with_constants();
  const Added unknown = added(made, {.addresses = 8});
  EXPECT_TRUE(unknown.in_range);
  EXPECT_EQ(unknown.step.unit_busy, (Bounds{2, 16})) << "without rows, from nothing to all in turn";
  made.transfers.front().leaves.push_back({.name = "rate.addresses_32", .value = 1 / 96.0});
  made.transfers.front().leaves.push_back({.name = "rate.next", .value = 0.2});
  const Added known = added(made, {.addresses = 8});
  EXPECT_FALSE(known.in_range);
  EXPECT_EQ(known.step.unit_busy, (Bounds{2 + 7 * 3.0, 2 + 7 * 3.0})) << "32 addresses take 96 cycles";
  EXPECT_EQ(known.step.latency, (Bounds{30 + 7 * 3.0, 30 + 7 * 3.0}));
}

TEST(Constants, LinesThatTheNearestCacheLacksComeOneAfterTheOther) {
  Machine made = with_constants();
  made.transfers.front().leaves.push_back({.name = "rate.addresses_32", .value = 1 / 64.0});
  made.transfers.front().leaves.push_back({.name = "rate.next", .value = 0.2});
  const Added half = added(made, {.missed = 0.5, .waiting = 0.5});
  EXPECT_EQ(half.step.latency, (Bounds{65, 65})) << "half of the loads wait 70 cycles";
  EXPECT_EQ(half.step.unit_busy, (Bounds{3.5, 3.5})) << "a line takes 5 cycles, an address 2";
  const Added three = added(made, {.missed = 3, .waiting = 1});
  EXPECT_EQ(three.step.latency, (Bounds{110, 110})) << "two more lines come 5 cycles apart";
}

TEST(Constants, AreReadByLinesWhoseAddressesAreInOperands) {
  const auto lines = [](const char* code) { return constant_reads(testing::instruction(code)).lines; };
  using Lines = std::vector<std::uint32_t>;
  EXPECT_EQ(lines("s2 | IMAD R4, R5, c[0x0][0x210], R6"), Lines{8});
  EXPECT_EQ(lines("s2 | ULDC.64 UR4, c[0x0][0x208]"), Lines{8});
  EXPECT_EQ(lines("s2 | ULDC UR4, c[0x0][0x240]"), Lines{9});
  EXPECT_EQ(lines("s2 | FFMA R4, R5, c[0x4][0x0], R6"), Lines{4U << 16U});
  EXPECT_EQ(lines("s2 | LDC R4, c[0x0][R6+0x210]"), Lines{}) << "the address is in a register";
  EXPECT_EQ(lines("s2 | ULDC UR4, c[0x0][UR6+0x210]"), Lines{});
  EXPECT_EQ(lines("s2 | FADD R4, R5, R6"), Lines{});
  EXPECT_TRUE(constant_reads(testing::instruction("s2 | LDC R1, c[0x0][0x28]")).loads);
  EXPECT_FALSE(constant_reads(testing::instruction("s2 | ULDC UR4, c[0x0][0x28]")).loads);
}

TEST(Constants, AreMissedByTheDifferenceOfTheCaches) {
  EXPECT_EQ(constant_missed(with_constants()), 70);
  EXPECT_EQ(constant_missed({}), 0);
}

}  // namespace
}  // namespace warpclock
