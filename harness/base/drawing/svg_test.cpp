#include "base/drawing/svg.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Coordinate, HasOneDecimalAtMostAndNoOddities) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.46), "12.5");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(not_a_number), "0");
  EXPECT_EQ(coordinate(1e300), "1000000");
}

TEST(Ticks, ArePowersOfTwoThatCoverTheRange) {
  EXPECT_THAT(binary_ticks(1, 32, 8), ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(binary_ticks(3, 5, 8), ElementsAre(2, 4, 8));
  EXPECT_THAT(binary_ticks(not_a_number, 3, 5), ElementsAre(1, 2));
}

}  // namespace
}  // namespace warpclock
