#include "gpu/job/clock_reading.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

TEST(SmClock, MovedIfItsReadingsDifferByMoreThanHalfAPercent) {
  EXPECT_FALSE((SmClock{2000, 1995, 2004}).moved());
  EXPECT_TRUE((SmClock{2070, 2057, 2100}).moved());
  EXPECT_FALSE(SmClock{}.moved());
}

TEST(SmClock, HasARangeOnlyIfTheRecordHasOne) {
  EXPECT_EQ(sm_clock({.sm_mhz = 1980}).low, 1980);
  const SmClock moved = sm_clock({.sm_mhz = 2070, .sm_low_mhz = 2057, .sm_high_mhz = 2100});
  EXPECT_EQ(moved.low, 2057);
  EXPECT_EQ(moved.high, 2100);
}

TEST(MeanPower, IsOfTheRowsOwnLaunches) {
  EXPECT_DOUBLE_EQ(mean_power_w({.energy_j = 130.8, .energy_s = 0.2}).value(), 654);
  EXPECT_FALSE(mean_power_w({.power_w = 442})) << "a mean over the second before, in records of earlier versions";
}

TEST(TimerRatio, DiffersByMoreThanATenthOfAPercent) {
  EXPECT_FALSE((TimerRatio{.ratio = 0.999985, .error = 1e-6, .seconds = 60}).differs());
  EXPECT_TRUE((TimerRatio{.ratio = 1.05, .error = 1e-6, .seconds = 60}).differs());
  EXPECT_TRUE((TimerRatio{.ratio = 0.995, .error = 1e-4, .seconds = 0.1}).differs());
  EXPECT_FALSE((TimerRatio{.ratio = 1.0012, .error = 3e-4, .seconds = 0.1}).differs()) << "it may be 1.0009";
  EXPECT_FALSE((TimerRatio{.ratio = 1.05, .error = 0.1, .seconds = 0.1}).differs()) << "nothing is known";
  EXPECT_FALSE(TimerRatio{}.differs());
}

}  // namespace
}  // namespace warpclock
