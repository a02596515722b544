#include "analyze/curve/plateau.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace warpclock {
namespace {

TEST(Plateau, IsTheMedianOfTheTopAndItsFirstPoint) {
  const Plateau found = plateau({{1, 1.4}, {2, 2.8}, {32, 32.3}, {4, 5.6}, {8, 30.9}, {16, 32.0}}).value_or(Plateau{});
  EXPECT_DOUBLE_EQ(found.level, 32.0);
  EXPECT_DOUBLE_EQ(found.reached_at, 8);
  EXPECT_EQ(found.points, 3u);
  EXPECT_TRUE(found.flat());
}

TEST(Plateau, ACurveThatStillRisesHasOnePoint) {
  const Plateau found = plateau({{1, 1}, {2, 2}, {4, 4}}).value_or(Plateau{});
  EXPECT_DOUBLE_EQ(found.level, 4);
  EXPECT_DOUBLE_EQ(found.reached_at, 4);
  EXPECT_FALSE(found.flat());
}

TEST(Plateau, ACurveThatFallsAgainKeepsItsTop) {
  const Plateau found = plateau({{1, 10}, {2, 20}, {4, 20}, {8, 12}}).value_or(Plateau{});
  EXPECT_DOUBLE_EQ(found.level, 20);
  EXPECT_DOUBLE_EQ(found.reached_at, 2);
}

TEST(Plateau, NothingComesOfNothing) {
  EXPECT_FALSE(plateau({}));
  EXPECT_FALSE(plateau({{1, std::nan("")}, {std::nan(""), 3}}));
  EXPECT_FALSE(plateau({{1, 0}, {2, -1}}));
}

}  // namespace
}  // namespace warpclock
