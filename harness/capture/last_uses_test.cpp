#include "capture/injection/last_uses.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

constexpr std::uint64_t base = 0x1000;
const Allocations allocations = {{base, 0x1000}, {0x4000, 0x1000}};

void expect(const LastUse& use, std::int64_t ago, std::uint64_t below, std::int64_t since) {
  EXPECT_EQ(use.ago, ago);
  EXPECT_EQ(use.below, below);
  EXPECT_EQ(use.since, since);
}

TEST(LastUses, AreCountedInLaunches) {
  LastUses uses;
  expect(uses.of(base, allocations, 1), 0, 0, 0);
  uses.note(base, 1);
  expect(uses.of(base, allocations, 4), 3, 0, 0);
  uses.note(base, 4);
  expect(uses.of(base, allocations, 5), 1, 0, 0);
}

TEST(LastUses, OfAPlaceBelowCountIfTheyAreLater) {
  LastUses uses;
  uses.note(base, 5);
  expect(uses.of(base + 0x200, allocations, 6), 0, 0x200, 1);
  uses.note(base + 0x200, 2);
  expect(uses.of(base + 0x200, allocations, 6), 4, 0x200, 1);
  expect(uses.of(base + 0x300, allocations, 6), 0, 0x300, 1);
  uses.note(base + 0x200, 5);
  expect(uses.of(base + 0x200, allocations, 6), 1, 0, 0);
  expect(uses.of(base + 0x300, allocations, 6), 0, 0x100, 1);
}

TEST(LastUses, AreOfOneAllocation) {
  LastUses uses;
  uses.note(base + 0x800, 5);
  expect(uses.of(base + 0x1000, allocations, 6), 0, 0, 0);
  expect(uses.of(0x4000, allocations, 6), 0, 0, 0);
  expect(uses.of(0x800, allocations, 6), 0, 0, 0);
}

}  // namespace
}  // namespace warpclock
