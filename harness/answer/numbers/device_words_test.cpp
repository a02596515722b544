#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answer/numbers/figures.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

constexpr TimerRatio good = {.ratio = 0.999985, .error = 1e-6, .seconds = 43.21};

Row with_clock(const ClockReading& clock) {
  Row row;
  row.clock = clock;
  return row;
}

TEST(ClockWords, SayWhatTheClockIsAndWhatItWasComparedWith) {
  Provenance made;
  EXPECT_THAT(clock_in_words(made), Not(HasSubstr("host")));
  made.timer = good;
  EXPECT_THAT(clock_in_words(made), AllOf(HasSubstr("cycles of %clock64 in a nanosecond of %globaltimer"),
                                          HasSubstr("%globaltimer ran at 0.99999 of the host's clock over 43.2 s"),
                                          HasSubstr("NVML states the clock that is requested")));
}

TEST(ClockWords, WarnOfATimerThatDiffers) {
  EXPECT_EQ(timer_warning(good), "");
  EXPECT_EQ(timer_warning({}), "");
  EXPECT_THAT(timer_warning({.ratio = 1.05, .error = 1e-6, .seconds = 43}),
              HasSubstr("ran at 1.05000 of the host's clock over 43 s: every SM clock is wrong"));
}

TEST(ClockWords, CountTheCasesAroundWhichTheClockMoved) {
  Record record;
  EXPECT_EQ(measured_clocks(record), "");
  record.rows = {with_clock({.sm_mhz = 1980}), with_clock({}), with_clock({.sm_mhz = 1980.3})};
  EXPECT_EQ(measured_clocks(record), "1980 MHz");
  record.rows.push_back(with_clock({.sm_mhz = 2070, .sm_low_mhz = 2057, .sm_high_mhz = 2100}));
  EXPECT_EQ(measured_clocks(record), "1980 to 2100 MHz");
}

}  // namespace
}  // namespace warpclock
