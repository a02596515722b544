#include "record/machine_record.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

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

TEST(Overlap, OfGroupsIsOfAsManyAsAreInOne) {
  MachineTable table;
  for (const auto& [key, cycles] : {std::pair{"A", 2.0}, std::pair{"B", 7.0}}) {
    MachineRow& row = table.rows.emplace_back();
    row.key = key;
    row.interval = Estimate{.value = cycles};
  }
  IssueStudy group = pair_of("A", "B", 9);
  group.of_each = {4, 1};
  const auto overlap = must(overlap_of(table, group));
  EXPECT_EQ(overlap.a, 8);
  EXPECT_EQ(overlap.b, 7);
  EXPECT_DOUBLE_EQ(overlap.hidden, 6.0 / 7);
  EXPECT_LT(overlap.least, overlap.hidden);
  EXPECT_GT(overlap.most, overlap.hidden);
  table.rows.pop_back();
  EXPECT_FALSE(overlap_of(table, group)) << "B alone is not known";
}

}  // namespace
}  // namespace warpclock
