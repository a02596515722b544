#include <gtest/gtest.h>

#include <filesystem>

#include "answer/numbers/quantity.hpp"
#include "answer/words/page_words.hpp"
#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/memory.hpp"

namespace warpclock {
namespace {

const std::string sources = "sources: [{name: s, what: a paper}]\n";

const Quantities& quantities() {
  static const Expected<Quantities> read = parse_quantities(
      "q.yaml",
      "quantities:\n"
      "  - {quantity: l1, says: a load, from: {probe: memory/chase, feature: latency, where: L1}}\n"
      "  - {quantity: read, says: loads, from: {probe: bandwidth/read, cases: rate, with: {footprint: 1073741824}}}\n"
      "  - {quantity: size, says: the size, from: {device: l2_bytes}}\n");
  return *read;
}

Expected<std::vector<PublishedValue>> parse(const std::string& fields, const std::string& arch = "sm_90") {
  return parse_published(
      "p.yaml", sources + "published:\n  - arch: " + arch + "\n    values:\n      - {" + fields + "}\n", quantities());
}

std::vector<PublishedLine> lines(const std::string& fields, const std::string& probe,
                                 const std::string& arch = "sm_90") {
  static std::vector<PublishedValue> values;
  const auto read = parse(fields + ", source: s, at: page 1, checked: read", arch);
  EXPECT_TRUE(read) << (read ? "" : read.error().message());
  values = read ? *read : std::vector<PublishedValue>();
  return published_lines(values, testing::memory_record(), probe);
}

TEST(Published, StandsBesideWhatItsProbeFound) {
  const auto found = lines("of: l1, gpu: X, value: 50, unit: cycles, because: a reason", "memory/chase");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].measured_text, "40.0 cycles");
  EXPECT_EQ(found[0].published_text, "50 cycles");
  EXPECT_EQ(found[0].difference_text,
            "\xE2\x88\x92"
            "20.0 %");
  EXPECT_EQ(found[0].why, "a reason");
  EXPECT_EQ(found[0].published->source, "a paper, page 1");
  EXPECT_THAT(lines("of: l1, gpu: X, value: 50, unit: cycles", "bandwidth/read"), IsEmpty());
  EXPECT_THAT(lines("of: size, gpu: X, value: 33554432, unit: B", ""), SizeIs(1));
}

TEST(Published, NeedsAWordOnlyBeyondFivePercent) {
  EXPECT_EQ(lines("of: l1, gpu: X, value: 41, unit: cycles, because: a reason", "memory/chase").at(0).why, "");
  EXPECT_EQ(lines("of: l1, gpu: X, value: 50, unit: cycles", "memory/chase").at(0).why, "not explained");
}

TEST(Published, RangesThatOverlapDoNotDiffer) {
  EXPECT_EQ(lines("of: l1, gpu: X, value: [30, 45], unit: cycles", "memory/chase").at(0).difference, 0);
  EXPECT_NEAR(lines("of: l1, gpu: X, value: [20, 25], unit: cycles", "memory/chase").at(0).difference, 0.6, 1e-9);
  EXPECT_NEAR(lines("of: l1, gpu: X, value: [50, 80], unit: cycles", "memory/chase").at(0).difference, -0.2, 1e-9);
}

TEST(Published, IsComparedInItsOwnUnitOrNotAtAll) {
  const auto found = lines("of: read, gpu: X, value: 2000, unit: GB/s", "bandwidth/read");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].measured_text, "1600 GB/s");
  EXPECT_NEAR(found[0].difference, -0.2, 1e-9);
  EXPECT_THAT(lines("of: read, gpu: X, value: 2000, unit: cycles", "bandwidth/read"), IsEmpty());
}

TEST(Published, OfAnotherComputeCapabilityIsLeftOut) {
  EXPECT_THAT(lines("of: l1, gpu: X, value: 50, unit: cycles", "memory/chase", "sm_80"), IsEmpty());
  EXPECT_THAT(published_lines(*parse("of: l1, gpu: X, value: 50, unit: cycles, source: s, at: a, checked: read"),
                              Record{}, "memory/chase"),
              IsEmpty());
}

TEST(Published, WhatIsStatedOfABoardIsHeldAgainstThatBoardAlone) {
  const std::string name = testing::memory_record().device.name;
  EXPECT_THAT(lines("of: l1, gpu: X, value: 50, unit: cycles, device: " + name, "memory/chase"), SizeIs(1));
  EXPECT_THAT(lines("of: l1, gpu: X, value: 50, unit: cycles, device: another board", "memory/chase"), IsEmpty());
}

TEST(Published, SaysWhereItIsMalformed) {
  const std::string rest = ", unit: cycles, source: s, at: page 1, checked: read";
  const auto refused = [](const std::string& fields, const std::string& why) {
    EXPECT_THAT(failure_of(parse(fields)).message(), AllOf(HasSubstr("p.yaml:5:"), HasSubstr(why))) << fields;
  };
  refused("of: l2, gpu: X, value: 5" + rest, "unknown quantity 'l2'");
  refused("of: l1, gpu: X, value: 0" + rest, "above 0");
  refused("of: l1, gpu: X, value: [5, 4]" + rest, "above 0");
  refused("of: l1, gpu: X, value: [5, 6, 7]" + rest, "[low, high]");
  refused("of: l1, gpu: X, value: many" + rest, "value");
  refused("of: l1, value: 5" + rest, "gpu");
  refused("of: l1, gpu: X, value: 5, unit: hours, source: s, at: page 1, checked: read", "hours");
  refused("of: l1, gpu: X, value: 5, unit: cycles, source: t, at: page 1, checked: read", "unknown source 't'");
  refused("of: l1, gpu: X, value: 5, unit: cycles, source: s, at: page 1, checked: maybe", "maybe");
  EXPECT_THAT(failure_of(parse("of: l1, gpu: X, value: 5" + rest, "hopper")).message(), HasSubstr("p.yaml:3:11"));
}

TEST(Published, BesideCommittedResultsIsExplained) {
  const auto& known = known_published();
  ASSERT_TRUE(known) << known.error().message();
  int compared = 0;
  for (const auto& folder : std::filesystem::directory_iterator(std::string(WARPCLOCK_SOURCE_DIR) + "/reports")) {
    const auto text = read_packed_file(folder.path() / "result.json");
    if (!text) continue;
    const auto record = must(parse_record(*text));
    std::vector<std::string> probes = {""};
    for (const ProbeRecord& probe : record.probes) probes.push_back(probe.name);
    for (const std::string& probe : probes) {
      for (const PublishedLine& line : published_lines(*known, record, probe)) {
        ++compared;
        EXPECT_NE(line.why, "not explained")
            << line.says << " on " << line.published->gpu << ": " << line.difference_text;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(Published, IsOnThePageOfItsComputeCapability) {
  Record record = testing::memory_record();
  EXPECT_THAT(suite_extras(record).dump(), HasSubstr("H800 PCIe"));
  record.device.arch = "sm_80";
  EXPECT_THAT(suite_extras(record).dump(), Not(HasSubstr("H800 PCIe")));
}

}  // namespace
}  // namespace warpclock
