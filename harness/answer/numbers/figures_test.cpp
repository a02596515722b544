#include "answer/numbers/figures.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/matchers.hpp"
#include "record/selector.hpp"
#include "record/testing/memory.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

constexpr double not_a_value = std::numeric_limits<double>::quiet_NaN();

ProbeOutline probe_of(const Record& record, const std::string& name) {
  for (const FamilyOutline& family : outline(record)) {
    for (const ProbeOutline& probe : family.probes) {
      if (probe.probe.name == name) return probe;
    }
  }
  ADD_FAILURE() << "no probe " << name;
  return {};
}

TEST(Outline, KeepsEveryCaseOnceInItsOrder) {
  const Record record = testing::example_record();
  std::vector<const Row*> found, all;
  for (const Row& row : record.rows) all.push_back(&row);
  for (const FamilyOutline& family : outline(record)) {
    for (const ProbeOutline& probe : family.probes) {
      for (const Row* row : probe.cases) {
        EXPECT_EQ(row->probe, probe.probe.name);
        found.push_back(row);
      }
      EXPECT_TRUE(std::is_sorted(probe.cases.begin(), probe.cases.end()));
    }
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(all));
}

TEST(Outline, GivesAProbeToCasesThatTheRecordDoesNotDescribe) {
  Record record = testing::example_record();
  record.probes.clear();
  EXPECT_EQ(probe_of(record, "shuffle/latency").cases.size(), 4u);
  EXPECT_TRUE(outline(Record{}).empty());
}

TEST(Outline, TellsWhatVariesFromWhatIsShared) {
  const Record record = testing::example_record();
  const ProbeOutline probe = probe_of(record, "shuffle/latency");
  EXPECT_THAT(probe.varying, ElementsAre("mode"));
  ASSERT_EQ(probe.fixed.size(), 1u);
  EXPECT_EQ(probe.fixed.front().first, "clamp");
  EXPECT_EQ(describe(*probe.cases.front(), {"mode", "nothing", "clamp"}), "mode=idx clamp=0x1f");
}

TEST(Outline, PublishesNothingOfWhatIsNotMeasured) {
  Record record = testing::example_record();
  for (Row& row : record.rows) {
    row.outcome = Outcome::Rejected;
    row.estimates = {{"latency", 1, 1, 1, "cycles", "slope", 1, ""}};
    EXPECT_EQ(published(row, "latency"), nullptr);
  }
  EXPECT_THAT(probe_of(record, "shuffle/latency").estimates, IsEmpty());
  EXPECT_THAT(headlines(probe_of(record, "shuffle/latency")), IsEmpty());
}

TEST(Figures, ShowAsManyDecimalsAsTheMagnitudeBears) {
  EXPECT_EQ(decimals(std::vector{1.5, 2.0}), 3);
  EXPECT_EQ(decimals(std::vector{23.5, 2.0}), 2);
  EXPECT_EQ(decimals(std::vector{2345.5}), 1);
  EXPECT_EQ(decimals(std::vector{16.0, 32.0}), 0);
  EXPECT_EQ(decimals(std::vector{not_a_value}), 0);
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-2.5, 1),
            "\xE2\x88\x92"
            "2.5");
  EXPECT_EQ(fixed(not_a_value, 1), "\xE2\x80\x93");
  EXPECT_EQ(fixed(1e300, 2), "1.000e+300");
}

TEST(Figures, ShowTheWiderSideOfAnInterval) {
  Estimate estimate{"latency", 23, 22.98, 23.05, "cycles", "slope", 45, ""};
  EXPECT_EQ(interval(estimate, 2),
            "\xC2\xB1"
            "0.05");
  estimate.low = not_a_value;
  EXPECT_EQ(interval(estimate, 2), "");
  estimate = {"rate", 50, 50, 50, "%", "counter", 1, ""};
  EXPECT_EQ(interval(estimate, 2), "") << "a counter's value has no interval";
}

TEST(Headlines, ArePeaksForRatesAndRangesForTheRest) {
  const Record record = testing::example_record();
  const auto latency = headlines(probe_of(record, "shuffle/latency"));
  ASSERT_EQ(latency.size(), 1u);
  EXPECT_EQ(latency[0].value, "23.00 \xE2\x80\x93 24.00");
  EXPECT_EQ(latency[0].detail, "4 cases");
  const auto throughput = headlines(probe_of(record, "shuffle/throughput"));
  ASSERT_EQ(throughput.size(), 1u);
  EXPECT_THAT(throughput[0].detail, StartsWith("highest of 23, at ilp="));
  const Row* row = find_by(record.rows, throughput[0].row, &Row::id);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(throughput[0].number, published(*row, throughput[0].of)->value);
}

TEST(Headlines, OfBytesAreInKiBAndMiB) {
  Record record = testing::example_record();
  double bytes = 18944;
  for (Row& row : record.rows) {
    if (row.probe != "shuffle/latency") continue;
    row.estimates = {{"written", bytes, bytes, bytes, "B", "counter", 1, ""}};
    bytes *= 8;
  }
  const auto written = headlines(probe_of(record, "shuffle/latency"));
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].value, "18.5 KiB \xE2\x80\x93 9.2 MiB");
  EXPECT_EQ(written[0].unit, "B");
  EXPECT_EQ(unit_text(written[0]), "") << "the text has its own";
  EXPECT_EQ(written[0].low, 18944);
  EXPECT_EQ(written[0].high, 18944 * 8 * 8 * 8);
  EXPECT_FALSE(written[0].number) << "a range";
}

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
  std::vector<const Row*> rows;
  for (Row& row : record.rows) {
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
    Row row;
    row.probe = "bandwidth/read";
    row.parameters = {{"footprint", footprint}};
    row.clock.sm_mhz = mhz;
    return row;
  };
  const Row first = point(1, 2100), second = point(2, 1980), third = point(4, 2000);
  Feature level;
  level.probe = "bandwidth/read";
  level.from = 2, level.to = 4;
  const SmClock found = clock_of(cases_of(level, {&first, &second, &third}));
  EXPECT_EQ(found.low, 1980);
  EXPECT_EQ(found.high, 2000);
}

}  // namespace
}  // namespace warpclock
