#include "answer/numbers/quantity.hpp"

#include <gtest/gtest.h>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "plan/config/stanza.hpp"
#include "record/testing/memory.hpp"

namespace warpclock {
namespace {

Expected<Quantities> with_place(const std::string& place) {
  return parse_quantities("q.yaml", "quantities:\n  - quantity: a.b\n    says: a thing\n    from: " + place + "\n");
}

TEST(Quantities, OfTheProgramNameProbesAndNumbersThatItHas) {
  const Expected<Quantities>& known = known_quantities();
  ASSERT_TRUE(known) << known.error().message();
  const auto suite = must(load_suite(embedded_configs()));
  for (const auto& [name, quantity] : *known) {
    for (const Selector& place : quantity.from) {
      if (place.kind == Selector::Kind::Device) continue;
      const auto is_it = [&](const Probe& probe) { return probe.family + "/" + probe.name == place.probe; };
      const auto probe = std::ranges::find_if(suite.probes, is_it);
      ASSERT_NE(probe, suite.probes.end()) << name << ": " << place.probe;
      if (place.kind != Selector::Kind::Cases) continue;
      const auto measured =
          std::ranges::any_of(probe->measures, [&](const MeasureSpec& measure) { return measure.name == place.name; });
      EXPECT_TRUE(measured) << name << ": " << place.name;
    }
  }
}

TEST(Quantities, ReadEveryKindOfPlace) {
  const auto cases =
      with_place("{probe: m/p, cases: rate, with: {share: own, size: [0, l2]}, counters: {hits: [99, 101]}}");
  ASSERT_TRUE(cases) << cases.error().message();
  const Selector& place = cases->at("a.b").from.front();
  EXPECT_EQ(place.kind, Selector::Kind::Cases);
  EXPECT_EQ(place.with.front().equals, Value(std::string("own")));
  EXPECT_TRUE(place.with.back().high.l2);
  EXPECT_EQ(place.counters.at("hits"), std::pair(99.0, 101.0));
  EXPECT_TRUE(with_place("[{device: l2_bytes}, {probe: m/p, feature: rate, part: beyond, take: highest}]"));
}

TEST(Quantities, SayWhereTheyAreMalformed) {
  const auto refused = [](const std::string& place, const std::string& at, const std::string& why) {
    const auto read = with_place(place);
    ASSERT_FALSE(read) << place;
    EXPECT_EQ(read.error().place, at) << place;
    EXPECT_THAT(read.error().text, HasSubstr(why)) << place;
  };
  refused("{probe: m/p}", "q.yaml:4:11", "says one of 'cases', 'half', 'feature', 'device'");
  refused("{probe: m/p, cases: rate, feature: rate}", "q.yaml:4:46", "exclude each other");
  refused("{cases: rate}", "q.yaml:4:11", "probe");
  refused("{probe: m/p, line: rate, over: bytes}", "q.yaml:4:24", "line");
  refused("{device: l3_bytes}", "q.yaml:4:20", "l3_bytes");
  refused("{probe: m/p, device: l2_bytes}", "q.yaml:4:19", "a device has no probe");
  refused("{probe: m/p, cases: rate, where: L1}", "q.yaml:4:44", "only for features");
  refused("{probe: m/p, feature: rate, end: footprint}", "q.yaml:4:44", "only for cases");
  refused("{probe: m/p, feature: rate, where: L3}", "q.yaml:4:46", "L3");
  refused("{probe: m/p, cases: rate, with: {size: [1]}}", "q.yaml:4:50", "[low, high]");
  refused("{probe: m/p, cases: rate, with: {size: [1, l3]}}", "q.yaml:4:54", "l3");
  refused("{probe: m/p, cases: rate, counters: {hits: [1, 2, 3]}}", "q.yaml:4:54", "[low, high]");
  refused("{probe: m/p, cases: rate, take: median}", "q.yaml:4:43", "median");
  refused("{probe: m/p, cases: rate, off: 1}", "q.yaml:4:37", "off");
  EXPECT_THAT(failure_of(parse_quantities("q.yaml",
                                          "quantities:\n  - {quantity: a, says: x, from: {device: l2_bytes}}\n"
                                          "  - {quantity: a, says: x, from: {device: l2_bytes}}\n"))
                  .message(),
              HasSubstr("q.yaml:3:16"));
}

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
  for (Row& row : record.rows) {
    if (row.probe != "bandwidth/read" || row.estimates[0].value < 40) continue;
    Row lucky = row;
    lucky.estimates[0].value += 5;
    lucky.estimates[0].low -= 5;
    lucky.estimates[0].high += 10;
    record.rows.push_back(lucky);
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
  for (Row& row : record.rows) row.counters.clear();
  EXPECT_EQ(text_at(record, in_l2), "nothing");
  for (Row& row : record.rows) row.outcome = Outcome::Rejected;
  EXPECT_EQ(text_at(record, "{probe: bandwidth/read, cases: rate}"), "nothing");
}

TEST(QuantityValue, IsWhereCasesLeaveTheirLowestValue) {
  Record record = testing::memory_record();
  const std::string end = "{probe: memory/constant_chase, cases: latency, end: footprint}";
  const auto found = must(find_at(record, end));
  EXPECT_EQ(value_text(found), "2048 B");
  EXPECT_EQ(interval_text(found), "between 2048 B and 4 KiB");
  std::ranges::reverse(record.rows);
  EXPECT_EQ(text_at(record, end), "2048 B");
  std::erase_if(record.rows, [](const Row& row) {
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
