#include "report/gigabytes.hpp"

#include <gtest/gtest.h>

#include "report/test_memory.hpp"

namespace warpclock {
namespace {

TEST(Gigabytes, AreARateOfAllSms) {
  EXPECT_DOUBLE_EQ(gigabytes_per_second(40, "B/clk/SM", 100, 2000).value(), 8000);
  EXPECT_FALSE(gigabytes_per_second(40, "FMA/clk/SM", 100, 2000));
  EXPECT_FALSE(gigabytes_per_second(40, "B/clk/SM", 0, 2000));
  EXPECT_FALSE(gigabytes_per_second(40, "B/clk/SM", 100, 0));
  EXPECT_EQ(gigabytes_text(8000), "8000 GB/s");
  EXPECT_EQ(gigabytes_text(98.44), "98.4 GB/s");
}

TEST(Gigabytes, OfTheMemoryAreItsWidthTimesItsClock) {
  DeviceFacts device;
  EXPECT_FALSE(memory_peak(device));
  device.memory_bus_bits = 6016;
  EXPECT_FALSE(memory_peak(device));
  device.memory_clock_max_mhz = 3201;
  EXPECT_NEAR(memory_peak(device).value(), 4814.3, 0.1);
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
  EXPECT_DOUBLE_EQ(clock_around(record.features.back(), rows), 2000);
  Feature other = record.features.back();
  other.parameters = {{"share", std::string("all")}};
  EXPECT_EQ(clock_around(other, rows), 0);
}

}  // namespace
}  // namespace warpclock
