#include "gpu/launch/clock.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

constexpr double wait_ns = 20'000;

/// A reading each millisecond of the host, of a timer that runs `rate` times as fast as the host's clock.
TimerCheck checked(double rate, int milliseconds) {
  TimerCheck check;
  for (int i = 0; i < milliseconds; ++i) {
    const std::int64_t host = 5'000'000 + std::int64_t{i} * 1'000'000;
    check.add({host, static_cast<std::uint64_t>(static_cast<double>(host) * rate), wait_ns});
  }
  return check;
}

TEST(TimerCheck, SaysNothingBeforeATenthOfASecond) {
  EXPECT_EQ(checked(1, 100).ratio(), TimerRatio());
  EXPECT_EQ(checked(0.5, 1).ratio(), TimerRatio());
  EXPECT_GE(checked(1, 102).ratio().seconds, 0.1);
}

TEST(TimerCheck, FindsTheRatioOfTheTwoClocks) {
  const TimerRatio good = checked(0.999985, 1000).ratio();
  EXPECT_NEAR(good.ratio, 0.999985, 1e-8);
  EXPECT_NEAR(good.error, 2 * wait_ns / 999e6, 1e-6);
  EXPECT_NEAR(good.seconds, 0.999, 1e-9);
  EXPECT_FALSE(good.differs());
  EXPECT_TRUE(checked(1.002, 1000).ratio().differs());
  EXPECT_TRUE(checked(0.998, 1000).ratio().differs());
}

TEST(TimerCheck, AHostThatWasBusyDoesNotCount) {
  TimerCheck check = checked(1, 200);
  const TimerRatio before = check.ratio();
  check.add({5'000'000 + 200'000'000, 5'000'000 + 190'000'000, 10e6});  // it had the reading 10 ms later
  EXPECT_EQ(check.ratio(), before);
  TimerCheck late;
  late.add({12'000'000, 2'000'000, 10e6});
  for (int i = 1; i <= 300; ++i) {
    const std::int64_t host = 12'000'000 + std::int64_t{i} * 1'000'000;
    late.add({host, static_cast<std::uint64_t>(host), wait_ns});
  }
  EXPECT_NEAR(late.ratio().ratio, 1, 1e-9) << "the first pair is not the one that was late";
}

TEST(TimerCheck, TheHostsClockAdvances) {
  const std::int64_t first = host_ns();
  EXPECT_GE(host_ns(), first);
}

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
