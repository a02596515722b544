#include "answer/numbers/figures.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "base/testing/matchers.hpp"
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
  std::vector<const CaseRecord*> found, all;
  for (const CaseRecord& row : record.cases) all.push_back(&row);
  for (const FamilyOutline& family : outline(record)) {
    for (const ProbeOutline& probe : family.probes) {
      for (const CaseRecord* row : probe.cases) {
        EXPECT_EQ(row->probe, probe.probe.name);
        found.push_back(row);
      }
      EXPECT_TRUE(std::is_sorted(probe.cases.begin(), probe.cases.end()));
    }
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(all));
  const Tally counts = tally(record);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), static_cast<int>(all.size()));
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
  for (CaseRecord& row : record.cases) {
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
}

TEST(Headlines, OfBytesAreInKiBAndMiB) {
  Record record = testing::example_record();
  double bytes = 18944;
  for (CaseRecord& row : record.cases) {
    if (row.probe != "shuffle/latency") continue;
    row.estimates = {{"written", bytes, bytes, bytes, "B", "counter", 1, ""}};
    bytes *= 8;
  }
  const auto written = headlines(probe_of(record, "shuffle/latency"));
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].value, "18.5 KiB \xE2\x80\x93 9.2 MiB");
  EXPECT_EQ(written[0].unit, "");
}

}  // namespace
}  // namespace warpclock
