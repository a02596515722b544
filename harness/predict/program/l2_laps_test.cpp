#include "predict/program/l2_laps.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

Machine with_laps() {
  Machine made;
  made.capacities = {{.name = "l2.laps_1000", .leaves = {{.name = "lost", .value = -0.01}}},
                     {.name = "l2.laps_2000", .leaves = {{.name = "lost", .value = 0.5}}},
                     {.name = "l2.laps_3000", .leaves = {{.name = "lost", .value = 1.02}}},
                     {.name = "l2.lapse", .leaves = {{.name = "lost", .value = 7}}}};
  return made;
}

TEST(L2Laps, LoseWhatRowsSay) {
  const auto lost = lost_of_laps(with_laps());
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost(10), 0) << "counters of two launches may differ by a little";
  EXPECT_EQ(lost(1500), 0.25);
  EXPECT_EQ(lost(2500), 0.75);
  EXPECT_EQ(lost(1e9), 1);
}

TEST(L2Laps, AreNotKnownWithoutRows) { EXPECT_FALSE(lost_of_laps({})); }

}  // namespace
}  // namespace warpclock
