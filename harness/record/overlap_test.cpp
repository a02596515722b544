#include "record/overlap.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

IssueStudy pair_of(const std::string& a, const std::string& b, double cycles) {
  IssueStudy study{.id = a + "+" + b, .forms = {a, b}};
  study.interval = Estimate{.value = cycles, .low = cycles - 0.1, .high = cycles + 0.1};
  return study;
}

TEST(Overlap, IsOddBelowNothingAndAboveAll) {
  MachineTable table;
  table.pairs = {pair_of("A", "A", 4), pair_of("B", "B", 8)};  // 2 and 4 cycles alone
  EXPECT_EQ(alone_cycles(table, "B"), 4);
  EXPECT_FALSE(alone_cycles(table, "C"));
  const auto odd = [&](double cycles) { return overlaps_oddly(table, pair_of("A", "B", cycles)); };
  EXPECT_TRUE(odd(6.2)) << "longer than one after the other";
  EXPECT_FALSE(odd(6.05)) << "within the interval";
  EXPECT_FALSE(odd(5));
  EXPECT_FALSE(odd(3.95));
  EXPECT_TRUE(odd(3.8)) << "shorter than the longer one alone";
  EXPECT_FALSE(overlaps_oddly(table, pair_of("A", "C", 9))) << "C alone is not known";
}

}  // namespace
}  // namespace warpclock
