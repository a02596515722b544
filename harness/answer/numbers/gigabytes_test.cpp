#include <gtest/gtest.h>

#include "answer/numbers/figures.hpp"
#include "base/testing/matchers.hpp"
#include "record/select/selected.hpp"
#include "record/testing/memory.hpp"

namespace warpclock {
namespace {

TEST(Gigabytes, AreARateOfAllSms) {
  const SmClock steady{2000, 2000, 2000};
  EXPECT_DOUBLE_EQ(gigabytes_per_second(40, "B/clk/SM", 100, steady).value().value, 8000);
  EXPECT_FALSE(gigabytes_per_second(40, "FMA/clk/SM", 100, steady));
  EXPECT_FALSE(gigabytes_per_second(40, "B/clk/SM", 0, steady));
  EXPECT_FALSE(gigabytes_per_second(40, "B/clk/SM", 100, {}));
  EXPECT_EQ(gigabytes_text({8000, 8000, 8000}), "8000 GB/s");
  EXPECT_EQ(gigabytes_text({98.44, 98.44, 98.44}), "98.4 GB/s");
}

TEST(Gigabytes, HaveTheRangeOfAClockThatMoved) {
  const SmClock moved{2070, 2057, 2100};
  EXPECT_EQ(gigabytes_text(gigabytes_per_second(10, "B/clk/SM", 100, moved).value()), "2070 (2057 to 2100) GB/s");
  EXPECT_EQ(clock_text(moved), "2057 to 2100");
  EXPECT_EQ(clock_text({1980, 1979, 1984}), "1980");
  const auto ns = must(nanoseconds(207, moved));
  EXPECT_EQ(clocked_text(ns, 1), "100.0 (98.6 to 100.6)") << "least at the highest clock";
  EXPECT_FALSE(nanoseconds(207, {}));
}

TEST(Gigabytes, OfTheMemoryAreItsWidthTimesItsClock) {
  DeviceFacts device;
  EXPECT_FALSE(memory_peak(device));
  device.memory_bus_bits = 6016;
  EXPECT_FALSE(memory_peak(device));
  device.memory_clock_max_mhz = 3201;
  EXPECT_NEAR(memory_peak(device).value(), 4814.3, 0.1);
}

TEST(Gigabytes, OfTheMemoryAreALimitWhereL2HoldsLessThanHalf) {
  DeviceFacts device;
  device.sms = 100;
  device.memory_bus_bits = 4000;
  device.memory_clock_max_mhz = 2000;  // 2,000 GB/s
  device.l2_bytes = 1 << 20;
  Case large;
  large.data.bytes = 4 << 20;
  large.measures.resize(2);
  large.measures[0].limit = {0, true, "the bus"};
  Case small = large, peer = large, much = large;
  much.data.bytes = 8 << 20;
  small.data.bytes = (2 << 20) - 1;
  peer.data.peer = true;
  std::vector<Case> cases = {large, small, peer, much};
  with_memory_limits(cases, device);
  EXPECT_DOUBLE_EQ(cases[0].measures[0].limit.value, 2e6 / 100 / 0.75) << "a quarter may come from L2";
  EXPECT_EQ(cases[0].measures[1].limit.value, 0) << "asks for none";
  EXPECT_EQ(cases[1].measures[0].limit.value, 0);
  EXPECT_EQ(cases[2].measures[0].limit.value, 0);
  EXPECT_DOUBLE_EQ(cases[3].measures[0].limit.value, 2e6 / 100) << "L2 holds nothing of it until it is used again";
  device.memory_bus_bits = 0;
  cases = {large};
  with_memory_limits(cases, device);
  EXPECT_EQ(cases[0].measures[0].limit.value, 0);
}

TEST(Gigabytes, StandBesideRatesOfMeasuredCasesOnly) {
  const Record record = testing::memory_record();
  for (const FamilyOutline& family : outline(record)) {
    for (const ProbeOutline& probe : family.probes) {
      EXPECT_EQ(has_gigabytes(probe, "rate"), probe.probe.name == "bandwidth/read") << probe.probe.name;
      EXPECT_FALSE(has_gigabytes(probe, "latency"));
    }
  }
}

TEST(Gigabytes, OfACurveUseTheClockAroundItsPoints) {
  Record record = testing::memory_record();
  std::vector<const CaseRecord*> rows;
  for (CaseRecord& row : record.cases) {
    if (row.probe != "bandwidth/read") row.clock.sm_mhz = 1;
    rows.push_back(&row);
  }
  EXPECT_DOUBLE_EQ(clock_of(cases_of(record.features.back(), rows)).mhz, 2000);
  Feature other = record.features.back();
  other.parameters = {{"share", std::string("all")}};
  EXPECT_EQ(clock_of(cases_of(other, rows)).mhz, 0);
}

TEST(Gigabytes, OfALevelUseTheClockAroundItsPoints) {
  const auto point = [](std::int64_t footprint, double mhz) {
    CaseRecord row;
    row.probe = "bandwidth/read";
    row.parameters = {{"footprint", footprint}};
    row.clock.sm_mhz = mhz;
    return row;
  };
  const CaseRecord first = point(1, 2100), second = point(2, 1980), third = point(4, 2000);
  Feature level;
  level.probe = "bandwidth/read";
  level.from = 2, level.to = 4;
  const SmClock found = clock_of(cases_of(level, {&first, &second, &third}));
  EXPECT_EQ(found.low, 1980);
  EXPECT_EQ(found.high, 2000);
}

}  // namespace
}  // namespace warpclock
