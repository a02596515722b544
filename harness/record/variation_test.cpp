#include <gtest/gtest.h>

#include <cmath>

#include "record/outline.hpp"
#include "record/testing/curve.hpp"

namespace warpclock {
namespace {

/// 34 cycles up to 200 KiB, a ramp of four points, then 280.
Record with_a_ramp() {
  Record record;
  record.probes = {
      {"memory/chase", "memory", "?", {}, "kib", {{"latency", FeatureQuery::What::Levels, "kib", {}}}, ""}};
  const std::vector<double> cycles = {34, 34, 34, 34, 34, 34, 34, 34, 60, 110, 160, 220, 280, 280, 280, 280, 280, 280};
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const auto kib = static_cast<std::int64_t>(16 * std::exp2(static_cast<double>(i) / 2));
    record.rows.push_back(at_place("memory/chase", {{"kib", kib}}, cycles[i]));
  }
  return record;
}

std::string cause_of(Record record, std::size_t i) {
  find_causes(record);
  const auto& cause = record.rows[i].estimates.front().varies;
  return cause ? cause->words() : "";
}

TEST(Variations, PointsBetweenLevelsVary) {
  const Record record = with_a_ramp();
  EXPECT_EQ(cause_of(record, 3), "");
  EXPECT_EQ(cause_of(record, 9), "it is on none of the curve's levels");
  EXPECT_EQ(cause_of(record, 15), "");
}

TEST(Variations, EveryNumberOfAPointBetweenLevelsVaries) {
  Record record = with_a_ramp();
  for (Row& row : record.rows) row.estimates.insert(row.estimates.begin(), {"slowest", 20, 20, 20, "cycles"});
  EXPECT_EQ(cause_of(record, 9), "it is on none of the curve's levels");
  EXPECT_EQ(cause_of(record, 3), "");
}

TEST(Variations, ABandwidthOfBytesThatL2HoldsInPartVaries) {
  Record record;
  record.device.l2_bytes = 50 << 20;
  for (const std::int64_t mib : {25, 26, 99, 100}) {
    record.rows.push_back(at_place("bandwidth/copy", {{"path", "cg"}, {"footprint", mib << 20}}, 30));
  }
  const std::string partly = "L2 holds a part of its bytes, another part in each process";
  EXPECT_EQ(cause_of(record, 0), "");
  EXPECT_EQ(cause_of(record, 1), partly);
  EXPECT_EQ(cause_of(record, 2), partly);
  EXPECT_EQ(cause_of(record, 3), "");
  record.rows[1].estimates.front().method = "fact";
  EXPECT_EQ(cause_of(record, 1), "");
}

TEST(Variations, AShareFromACounterMayVaryByTenPoints) {
  Record record = with_a_ramp();
  record.probes[0].varies = "L2 chooses";
  record.rows[0].estimates = {{"kept", 0.005, 0.005, 0.005, "1", "counter"}};
  find_causes(record);
  EXPECT_DOUBLE_EQ(record.rows[0].estimates[0].varies->most, 0.1);
}

TEST(Variations, TheSlowestSmIsAnotherInEachProcess) {
  Record record = with_a_ramp();
  record.rows[0].estimates = {{"slowest", 34.5, 34.4, 34.6, "B/clk/SM", "slowest"}};
  EXPECT_EQ(cause_of(record, 0), "one SM decides it, and how far that is from the slices of L2 that hold its bytes");
  find_causes(record);
  EXPECT_LT(record.rows[0].estimates[0].varies->most, 0.05 * 34.5) << "not by as much as it likes";
}

TEST(Variations, APredictionHasNoLaunches) {
  Record record = with_a_ramp();
  record.rows[0].estimates = {{"predicted", 1000, 990, 1010, "cycles", "model"}};
  EXPECT_EQ(cause_of(record, 0), "it is a prediction, the interval reaches 1 %");
  record.rows[0].estimates[0].method = "events";
  EXPECT_EQ(cause_of(record, 0), "its launches differ, the interval reaches 1 %");
}

TEST(Variations, AnOutlineSaysEachCauseOnce) {
  Record record = with_a_ramp();
  for (const std::size_t i : {1, 2}) {
    Estimate& latency = record.rows[i].estimates.front();
    latency.high = latency.value * (i == 1 ? 1.01 : 1.03);
  }
  find_causes(record);
  const auto families = outline(record);
  const std::vector<Varying>& varies = families.at(0).probes.at(0).varies;
  ASSERT_EQ(varies.size(), 2U);
  EXPECT_EQ(describe(varies[0]),
            "latency of 2 cases may differ in another process: its launches differ, the interval reaches 3 %");
  EXPECT_EQ(describe(varies[1]),
            "latency of 4 cases may differ in another process: it is on none of the curve's levels");
}

}  // namespace
}  // namespace warpclock
