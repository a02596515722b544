#include "predict/memory/memory_plan.hpp"

#include <gtest/gtest.h>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

/// The part of what loads of argument 0, and stores to an address that is not known, access beyond 100 bytes. Each
/// executes so often that it accesses all bytes of its buffer.
double beyond(std::int64_t loaded, std::int64_t stored) {
  const Listing listing = testing::make_listing(
      "s2 | LDG.E R4, desc[UR4][R2.64]\n"
      "s2 | STG.E desc[UR4][R6.64], R4\n"
      "s5 | EXIT");
  MemoryPlan plan;
  plan.patterns[0] = {.new_sectors = 1, .argument = 0};
  plan.patterns[1] = {.new_sectors = 1, .argument = -1};
  MemoryKnown known;
  known.buffers = {{0, loaded}, {1, stored}};
  constexpr double sector = 32;
  return part_beyond(100, listing, plan, known,
                     {{0, static_cast<double>(loaded) / sector}, {1, static_cast<double>(stored) / sector}});
}

TEST(MemoryPlan, WhatIsBeyondACacheGrowsUntilNothingIsKept) {
  EXPECT_EQ(beyond(80, 0), 0);
  EXPECT_NEAR(beyond(150, 0), 0.5, 1e-9);
  EXPECT_EQ(beyond(200, 0), 1);
  EXPECT_EQ(beyond(1000, 0), 1);
}

TEST(MemoryPlan, AStoreToAnUnknownAddressFillsTheBufferThatNothingElseAccesses) {
  EXPECT_EQ(beyond(80, 20), 0);
  EXPECT_NEAR(beyond(80, 70), 0.5, 1e-9);
}

}  // namespace
}  // namespace warpclock
