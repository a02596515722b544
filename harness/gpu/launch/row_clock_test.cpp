#include "gpu/launch/row_clock.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

ClockMeasurement reading(double mhz, std::int64_t at_ms) { return {.sm_mhz = mhz, .host_ns = at_ms * 1'000'000}; }

ClockReading noted(const RowClock& clock) {
  ClockReading out;
  clock.note(out);
  return out;
}

TEST(RowClock, ASteadyClockHasNoRange) {
  RowClock clock;
  clock.add(reading(1980, 0));
  clock.add(reading(1982, 10));
  const ClockReading seen = noted(clock);
  EXPECT_EQ(seen.sm_mhz, 1981);
  EXPECT_EQ(seen.sm_low_mhz, 0);
  EXPECT_EQ(seen.sm_high_mhz, 0);
}

// 2100 to 2057 MHz within 50 ms (H100).
TEST(RowClock, AClockThatMovedHasTheRangeOfItsReadings) {
  RowClock clock;
  clock.add(reading(2100, 0));
  clock.add(reading(2057, 50));
  EXPECT_EQ(noted(clock).sm_mhz, 2078.5);
  EXPECT_EQ(noted(clock).sm_low_mhz, 2057);
  EXPECT_EQ(noted(clock).sm_high_mhz, 2100);
}

TEST(RowClock, CountsEachReadingByItsTime) {
  RowClock clock;
  clock.add(reading(2000, 0));
  clock.add(reading(1800, 10));
  clock.add(reading(1800, 100));
  EXPECT_DOUBLE_EQ(noted(clock).sm_mhz, (10 * 1900 + 90 * 1800) / 100.0);
}

TEST(RowClock, LeavesOutWhatWasBeforeTheSteadyState) {
  RowClock clock;
  clock.add(reading(1980, 0));
  clock.add(reading(1755, 100));
  clock.begin_here();
  clock.add(reading(1757, 200));
  EXPECT_EQ(noted(clock).sm_mhz, 1756);
  EXPECT_EQ(noted(clock).sm_low_mhz, 0);
}

TEST(RowClock, AReadingThatJobsShareIsOne) {
  RowClock clock;
  clock.add(reading(1980, 7));
  clock.add(reading(1980, 7));
  EXPECT_EQ(noted(clock).sm_mhz, 1980);
  EXPECT_EQ(noted(RowClock()).sm_mhz, 0);
  clock = {};
  clock.add({});
  clock.add(reading(1980, 1));
  EXPECT_EQ(noted(clock).sm_mhz, 1980) << "no reading is no clock of 0";
}

TEST(RowClock, NotesTheLongestPause) {
  RowClock clock;
  clock.add({.sm_mhz = 1980, .pause_us = 2400.4});
  clock.add({.sm_mhz = 1980, .pause_us = 1});
  clock.begin_here();
  EXPECT_EQ(noted(clock).pause_us, 2400);
}

}  // namespace
}  // namespace warpclock
