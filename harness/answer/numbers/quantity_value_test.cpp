#include "answer/numbers/quantity_value.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "record/testing/memory.hpp"

namespace warpclock {
namespace {

/// The value at the first of these places that the record has.
std::optional<QuantityValue> find_at(const Record& record, const std::string& places) {
  static Quantity quantity;
  const auto read =
      parse_quantities("q.yaml", "quantities:\n  - quantity: a\n    says: a thing\n    from: " + places + "\n");
  EXPECT_TRUE(read) << (read ? "" : read.error().message());
  if (!read) return std::nullopt;
  quantity = read->at("a");
  return find_quantity(record, quantity);
}

std::string text_at(const Record& record, const std::string& places) {
  const auto found = find_at(record, places);
  return found ? value_text(*found) : "nothing";
}

TEST(QuantityValue, IsAFeatureByNameLevelAndPart) {
  const Record record = testing::memory_record();
  EXPECT_EQ(text_at(record, "{probe: memory/chase, feature: latency, where: L1}"), "40.0 cycles");
  EXPECT_EQ(text_at(record, "{probe: memory/chase, feature: latency, where: L2}"), "nothing");
  EXPECT_EQ(text_at(record, "{probe: memory/chase, feature: footprint}"), "128 KiB");
  EXPECT_EQ(text_at(record, "{probe: memory/chase, feature: foot}"), "nothing");
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, feature: rate, part: inside}"), "40.0 B/clk/SM");
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, feature: rate, part: beyond}"), "8.0 B/clk/SM");
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, feature: rate, with: {share: all}}"), "nothing");
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, feature: rate, where: unnamed, take: lowest}"), "8.0 B/clk/SM");
  EXPECT_EQ(text_at(record, "{probe: memory/chase, feature: latency, where: unnamed}"), "nothing");
  Record unknown = record;
  unknown.device.l2_bytes = 0;
  EXPECT_EQ(text_at(unknown, "{probe: bandwidth/read, feature: rate, part: inside}"), "nothing");
}

TEST(QuantityValue, TakesTheHighestTheLowestOrTheRange) {
  const Record record = testing::memory_record();
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, cases: rate, take: highest}"), "40.0 B/clk/SM");
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, cases: rate, take: lowest}"), "8.0 B/clk/SM");
  const auto range = must(find_at(record, "{probe: bandwidth/read, cases: rate}"));
  EXPECT_EQ(value_text(range), "8.0 \xE2\x80\x93 40.0 B/clk/SM");
  EXPECT_EQ(interval_text(range), "between 7.0 and 41.0 B/clk/SM");
  EXPECT_EQ(range.from, "2 cases");
  EXPECT_EQ(range.clock.mhz, 2000);
}

TEST(QuantityValue, TheHighestIsNotTheLuckiest) {
  Record record = testing::memory_record();
  for (CaseRecord& row : record.cases) {
    if (row.probe != "bandwidth/read" || row.estimates[0].value < 40) continue;
    CaseRecord lucky = row;
    lucky.estimates[0].value += 5;
    lucky.estimates[0].low -= 5;
    lucky.estimates[0].high += 10;
    record.cases.push_back(lucky);
    break;
  }
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, cases: rate, take: highest}"), "40.0 B/clk/SM");
}

TEST(QuantityValue, NamesThePreferredProbeThatTheRecordLacks) {
  const Record record = testing::memory_record();
  const std::string read = "{probe: bandwidth/read, cases: rate}]";
  EXPECT_EQ(find_at(record, "[{probe: bandwidth/queue, cases: rate}, " + read)->preferred, "bandwidth/queue");
  EXPECT_EQ(find_at(record, "[{probe: memory/chase, feature: latency, where: L2}, " + read)->preferred, "")
      << "it was measured, and has no such level";
  EXPECT_EQ(find_at(record, "[" + read)->preferred, "");
}

TEST(QuantityValue, IsOfCasesByParametersAndCounters) {
  Record record = testing::memory_record();
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, cases: rate, with: {footprint: [0, l2]}}"), "40.0 B/clk/SM");
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, cases: rate, with: {footprint: 1073741824}}"), "8.0 B/clk/SM");
  const std::string in_l2 = "{probe: memory/chase, cases: latency, counters: {l2_hit_rate_ld: [99, 101]}}";
  EXPECT_EQ(text_at(record, in_l2), "200.0 \xE2\x80\x93 300.0 cycles");
  for (CaseRecord& row : record.cases) row.counters.clear();
  EXPECT_EQ(text_at(record, in_l2), "nothing");
  for (CaseRecord& row : record.cases) row.outcome = Outcome::Rejected;
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, cases: rate}"), "nothing");
}

TEST(QuantityValue, IsWhereCasesLeaveTheirLowestValue) {
  Record record = testing::memory_record();
  const std::string end = "{probe: memory/constant_chase, cases: latency, end: footprint}";
  const auto found = must(find_at(record, end));
  EXPECT_EQ(value_text(found), "2048 B");
  EXPECT_EQ(interval_text(found), "between 2048 B and 4 KiB");
  std::ranges::reverse(record.cases);
  EXPECT_EQ(text_at(record, end), "2048 B");
  std::erase_if(record.cases, [](const CaseRecord& row) {
    return row.probe == "memory/constant_chase" && row.estimates.front().value > 20;
  });
  EXPECT_EQ(text_at(record, end), "nothing") << "where it ends is not in the record";
}

TEST(QuantityValue, IsTheFirstPlaceThatTheRecordHas) {
  const Record record = testing::memory_record();
  EXPECT_EQ(text_at(record, "[{probe: no/such, cases: x}, {device: l2_bytes}, {device: memory_bytes}]"), "32 MiB");
  EXPECT_EQ(text_at(record, "{device: memory_peak}"), "2048 GB/s");
  EXPECT_EQ(text_at(Record{}, "[{device: memory_peak}, {device: l2_bytes}]"), "nothing");
}

}  // namespace
}  // namespace warpclock
