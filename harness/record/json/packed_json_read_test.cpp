#include "record/json/packed_json_read.hpp"

#include <gtest/gtest.h>

#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

std::string fixture(const std::string& name) {
  return read_file(std::string(WARPCLOCK_SOURCE_DIR) + "/harness/report/testdata/" + name).value();
}

TEST(PackedJsonRead, ReadsTheFirstSchema) {
  const auto record = must(parse_record(fixture("record_1_0_0.json")));
  EXPECT_EQ(record.device.sms, 132);
  ASSERT_EQ(record.cases.size(), 2u);
  EXPECT_EQ(record.cases[0].samples[1].cycles, (std::vector<double>{1502, 1502, 1503.5}));
  EXPECT_EQ(record.cases[1].outcome, Outcome::Skipped);
  EXPECT_EQ(record.cases[1].reason.code, "unsupported-arch");
  EXPECT_EQ(parse_record(fixture("record_1_7_0.json")), record) << "with keys that a later version added";
}

TEST(PackedJsonRead, ReadsWindowsThatTheFirstSchemaNamedByAnEarlierCase) {
  const auto record = must(parse_record(fixture("record_1_1_0.json")));
  ASSERT_EQ(record.cases.size(), 4u);
  EXPECT_EQ(record.probes[0].along, "footprint");
  EXPECT_EQ(record.features[1].value, 229376);
  EXPECT_EQ(record.cases[1].window.sass, record.cases[0].window.sass);
  EXPECT_EQ(record.cases[1].ptx, record.cases[0].ptx);
  EXPECT_GT(record.cases[0].window.sass.size(), 30u);
  EXPECT_EQ(record.cases[2].measures[0].method, Method::Slope);
  EXPECT_EQ(parse_record(to_json(record)), record);
}

TEST(PackedJsonRead, ReadsThePackedSchemas) {
  EXPECT_EQ(to_json(must(parse_record(fixture("record_2_0_0.json")))), to_json(testing::example_record()));
  const auto table = must(read_instruction_table(fixture("instructions_2_0_0.json")));
  EXPECT_EQ(to_json(table), to_json(testing::example_instructions()));
  const auto machine = must(read_machine_table(fixture("machine_1_0_0.json")));
  EXPECT_EQ(to_json(machine), to_json(testing::without_relations(testing::example_machine())));
}

TEST(PackedJsonRead, SaysInWhichRowSomethingIsWrong) {
  const Json packed = json_of(fixture("record_2_0_0.json"));
  const auto with = [&](const char* pointer, const Json& value) {
    Json changed = packed;
    Json& place = changed.at(Json::json_pointer(pointer));
    place = value;
    const auto record = parse_record(changed.dump());
    return record ? "read" : record.error().message();
  };
  EXPECT_EQ(with("/cases/2/kernel", 9999), "result.json: cases[2]: array index 9999 is out of range");
  EXPECT_EQ(with("/cases/2/kernel", -1), "result.json: cases[2]: an index or a count is no whole number");
  EXPECT_EQ(with("/cases/2/estimates", Json::array({7})), "result.json: cases[2]: cannot use at() with number");
  EXPECT_EQ(with("/kernels/0/sass/0", Json::array({1000000000, 0})),
            "result.json: cases[0]: more than a record can hold");
  EXPECT_EQ(with("/reasons/0/1", 5), "result.json: rows[28].reason.code: expected a string, found number");
}

TEST(PackedJsonRead, ManyMentionsOfSomethingLargeDoNotFillTheMemory) {
  Json packed = json_of(fixture("instructions_2_0_0.json"));
  packed["texts"][0] = std::string(1'000'000, 'x');
  Json row = packed["rows"][0];
  row["section"] = 0;
  for (int i = 0; i < 300; ++i) packed["rows"].push_back(row);
  EXPECT_THAT(failure_of(read_instruction_table(packed.dump())).text, HasSubstr("more than a record can hold"));
}

bool reads(const Json& json) {
  const std::string text = json.dump();
  if (json.contains("machine")) return read_machine_table(text).has_value();
  return json.contains("cases") ? parse_record(text).has_value() : read_instruction_table(text).has_value();
}

/// How many texts are refused with a value replaced by one of another type; of an array the first few are.
int refused(const Json& root, Json& at) {
  int count = 0;
  const Json kept = at;
  for (const Json& other : {Json(-1), Json("x"), Json::array(), Json(1e308)}) {
    at = other;
    count += !reads(root);
  }
  at = kept;
  if (!at.is_structured()) return count;
  const std::size_t most = at.is_array() ? std::min<std::size_t>(at.size(), 2) : at.size();
  auto child = at.begin();
  for (std::size_t i = 0; i < most; ++i, ++child) count += refused(root, *child);
  return count;
}

TEST(PackedJsonRead, SurvivesEveryValueOfAnotherType) {
  for (const char* name : {"record_1_1_0.json", "record_2_0_0.json", "instructions_2_0_0.json", "machine_1_0_0.json"}) {
    Json json = json_of(fixture(name));
    Json& rows = json.at(json.contains("cases") ? "cases" : "rows");
    while (rows.size() > 2) rows.erase(2);
    for (Json& row : rows)
      if (row.contains("runs")) row["runs"] = {row["runs"][0]};
    EXPECT_TRUE(reads(json)) << name;
    int count = 0;
    for (auto member = json.begin(); member != json.end(); ++member)
      if (member.key() != "provenance" && member.key() != "device") count += refused(json, *member);
    EXPECT_GT(count, 100) << name;
  }
}

}  // namespace
}  // namespace warpclock
