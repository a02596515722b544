#include "record/features.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/testing/matchers.hpp"
#include "plan/sweep.hpp"
#include "record/assemble.hpp"
#include "record/testing/curve.hpp"

namespace warpclock {
namespace {

constexpr double kib = 1024;

/// 34 cycles up to 192 KiB, 280 up to 30 MiB, then 680, with matching counters.
Record chase(const std::string& path) {
  Record record;
  record.probes = {
      {"memory/chase", "memory", "?", {}, "footprint", {{"latency", FeatureQuery::What::Levels, "footprint", {}}}}};
  for (int i = 0; i <= 4 * 18; ++i) {
    const double bytes = kib * std::exp2(i / 4.0);
    const int level = bytes < 200 * kib ? 0 : bytes < 31 * kib * kib ? 1 : 2;
    const double cycles[] = {34, 280, 680};
    Row row =
        at_place("memory/chase", {{"path", path}, {"footprint", static_cast<std::int64_t>(bytes)}}, cycles[level]);
    row.counters = {{"l1_hit_rate", level == 0 ? 100.0 : 0.2}, {"l2_hit_rate_ld", level == 2 ? 0.4 : 99.8}};
    record.rows.push_back(std::move(row));
  }
  return record;
}

TEST(Features, LevelsAreNamedByWhatTheirCountersSay) {
  const auto features = find_features(chase("ca"));
  ASSERT_EQ(features.size(), 5U);
  EXPECT_EQ(features[0].name, "latency.1");
  EXPECT_EQ(features[0].where, "L1");
  EXPECT_NEAR(features[0].value, 34, 0.01);
  EXPECT_EQ(features[0].from, 1024);
  EXPECT_EQ(features[1].name, "footprint.1");
  EXPECT_LE(features[1].low, 200 * kib);
  EXPECT_GE(features[1].high, 200 * kib);
  EXPECT_GE(features[1].confidence, 0.95);
  EXPECT_EQ(features[2].where, "L2");
  EXPECT_EQ(features[4].where, "DRAM");
  EXPECT_NEAR(features[4].value, 680, 0.1);
}

TEST(Features, LevelsOfTextureReadsAreNamedByACounterOfTheirOwn) {
  Record record = chase("ca");
  for (Row& row : record.rows) {
    auto counter = row.counters.extract("l1_hit_rate");
    counter.key() = "tex_hit_rate";
    row.counters.insert(std::move(counter));
  }
  const auto features = find_features(record);
  ASSERT_EQ(features.size(), 5U);
  EXPECT_EQ(features[0].where, "L1");
  EXPECT_EQ(features[2].where, "L2");
  EXPECT_EQ(features[4].where, "DRAM");
}

TEST(Features, ALevelThatCountersDoNotConfirmHasNoName) {
  Record record = chase("ca");
  for (Row& row : record.rows) {
    if (row.id.ends_with("=2048]")) row.counters["l1_hit_rate"] = 98.5;
    if (row.id.ends_with("=4194304]")) row.counters.clear();
  }
  auto features = find_features(record);
  ASSERT_EQ(features.size(), 5U);
  EXPECT_EQ(features[0].where, "");
  EXPECT_THAT(features[0].note, HasSubstr("98.5 to 100.0 %"));
  EXPECT_EQ(features[2].where, "L2");
  EXPECT_THAT(features[2].note, HasSubstr("1 of 29 points uncounted"));
  for (Row& row : record.rows) {
    const auto at = std::get<std::int64_t>(*find(row.parameters, "footprint"));
    if (at >= 4 << 20 && at < 8 << 20) row.counters.clear();
  }
  features = find_features(record);
  EXPECT_EQ(features[2].where, "");
  EXPECT_THAT(features[2].note, HasSubstr("no counter says"));
  EXPECT_EQ(features[4].where, "DRAM");
}

TEST(Features, ALevelWhosePointsLieApartHasNoName) {
  Record record = chase("ca");
  for (std::size_t i = 0; i < 28; i += 2) {
    Row& row = record.rows[i];
    row.samples = at_place("memory/chase", row.parameters, 34.9).samples;
    row = reanalyze(std::move(row));
  }
  const auto features = find_features(record);
  ASSERT_GE(features.size(), 5U);
  EXPECT_NEAR(features[0].value, 34.45, 0.5);
  EXPECT_GT(features[0].residual, 0.01);
  EXPECT_EQ(features[0].where, "");
  EXPECT_THAT(features[0].note, HasSubstr("too far"));
}

TEST(Features, CurvesAreApartByTheirOtherParametersAndTakeMeasuredCasesOnly) {
  Record record = chase("ca");
  const Record other = chase("cg");
  record.rows.insert(record.rows.end(), other.rows.begin(), other.rows.end());
  EXPECT_EQ(find_features(record).size(), 10U);
  for (Row& row : record.rows) {
    if (find(row.parameters, "path") == nullptr || to_string(*find(row.parameters, "path")) == "cg") {
      row.outcome = Outcome::Rejected;
    }
  }
  EXPECT_EQ(find_features(record).size(), 5U);
}

TEST(Features, ASaturationIsStatedInBytesInFlight) {
  Record record;
  record.probes = {{"bandwidth/read",
                    "bandwidth",
                    "?",
                    {},
                    "",
                    {{"rate", FeatureQuery::What::Saturation, "warps", {"32", "warps", "bytes"}}}}};
  for (const std::int64_t warps : {1, 2, 4, 8, 16, 32}) {
    Row row = at_place("bandwidth/read", {{"bytes", 16}, {"warps", warps}}, 1);
    const double rate = std::min(64.0, 8.0 * static_cast<double>(warps));
    row.estimates = {{"rate", rate, rate * 0.999, rate * 1.001, "B/clk/SM", "rate", 7, ""}};
    record.rows.push_back(std::move(row));
  }
  const auto features = find_features(record);
  ASSERT_EQ(features.size(), 3U);
  EXPECT_EQ(features[0].name, "rate.plateau");
  EXPECT_NEAR(features[0].value, 64, 0.1);
  EXPECT_EQ(features[1].name, "in_flight.90");
  EXPECT_EQ(features[1].unit, "B");
  EXPECT_GT(features[1].value, 32 * 4 * 16);
  EXPECT_LE(features[1].value, 32 * 8 * 16);
}

}  // namespace
}  // namespace warpclock
