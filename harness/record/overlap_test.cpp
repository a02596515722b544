#include "record/overlap.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

Row pair_of(const std::string& a, const std::string& b, double cycles) {
  return {.id = a + "+" + b,
          .kind = RowKind::Pair,
          .estimates = {{"interval", cycles, cycles - 0.1, cycles + 0.1}},
          .forms = {a, b}};
}

TEST(Overlap, IsOddBelowNothingAndAboveAll) {
  const std::vector<Row> rows = {pair_of("A", "A", 4), pair_of("B", "B", 8)};  // 2 and 4 cycles alone
  EXPECT_EQ(alone_cycles(rows, "B"), 4);
  EXPECT_FALSE(alone_cycles(rows, "C"));
  const auto odd = [&](double cycles) { return overlaps_oddly(rows, pair_of("A", "B", cycles)); };
  EXPECT_TRUE(odd(6.2)) << "longer than one after the other";
  EXPECT_FALSE(odd(6.05)) << "within the interval";
  EXPECT_FALSE(odd(5));
  EXPECT_FALSE(odd(3.95));
  EXPECT_TRUE(odd(3.8)) << "shorter than the longer one alone";
  EXPECT_FALSE(overlaps_oddly(rows, pair_of("A", "C", 9))) << "C alone is not known";
}

TEST(Overlap, OfGroupsIsOfAsManyAsAreInOne) {
  std::vector<Row> rows;
  for (const auto& [key, cycles] : {std::pair{"A", 2.0}, std::pair{"B", 7.0}}) {
    rows.push_back({.id = key, .estimates = {{.name = "interval", .value = cycles}}});
  }
  Row group = pair_of("A", "B", 9);
  group.machine.of_each = {4, 1};
  const auto overlap = must(overlap_of(rows, group));
  EXPECT_EQ(overlap.a, 8);
  EXPECT_EQ(overlap.b, 7);
  EXPECT_DOUBLE_EQ(overlap.hidden, 6.0 / 7);
  EXPECT_LT(overlap.least, overlap.hidden);
  EXPECT_GT(overlap.most, overlap.hidden);
  rows.pop_back();
  EXPECT_FALSE(overlap_of(rows, group)) << "B alone is not known";
}

}  // namespace
}  // namespace warpclock
