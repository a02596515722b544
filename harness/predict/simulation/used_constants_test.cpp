#include "predict/simulation/used_constants.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

TEST(UsedConstants, AreThereForTheSubPartitionThatWaitedForThem) {
  UsedConstants constants(70);
  const ConstantReads one{.lines = {8}}, both{.lines = {8, 9}};
  EXPECT_EQ(constants.ready(one, 0, 100), 170);
  EXPECT_EQ(constants.ready(one, 0, 120), 170) << "it is on its way";
  EXPECT_EQ(constants.ready(one, 0, 200), 200);
  EXPECT_EQ(constants.ready(one, 1, 200), 270) << "the caches of sub-partitions are their own";
  EXPECT_EQ(constants.ready(both, 0, 300), 370);
  EXPECT_EQ(constants.ready({}, 0, 400), 400);
}

TEST(UsedConstants, OfLoadsAreThereForTheSm) {
  UsedConstants constants(70);
  const ConstantReads load{.loads = true, .lines = {8}}, operand{.lines = {8}};
  EXPECT_EQ(constants.ready(load, 0, 100), 170);
  EXPECT_EQ(constants.ready(load, 1, 150), 170);
  EXPECT_EQ(constants.ready(operand, 0, 200), 270) << "through another cache";
}

}  // namespace
}  // namespace warpclock
