#include "record/json/json_schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files/packed_file.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

bool is_of_type(const Json& value, const Json& type) {
  if (type.is_array()) return std::ranges::any_of(type, [&](const Json& one) { return is_of_type(value, one); });
  const auto& name = type.get_ref<const std::string&>();
  return name == "integer" ? value.is_number_integer() : name == value.type_name();
}

/// `key` of a schema, or null.
const Json& part(const Json& schema, std::string_view key) {
  static const Json none;
  const auto found = schema.find(std::string(key));
  return found == schema.end() ? none : *found;
}

bool has(const Json& list, const Json& value) { return std::ranges::find(list, value) != list.end(); }

/// The first thing that is not as the schema says, of the words of JSON Schema that ours use; empty for none. Keys that
/// the schema does not have are wrong here: what this program writes is all described.
std::string violation(const Json& schema, const Json& value, const std::string& path) {
  if (schema.contains("const") && value != schema["const"]) return path + ": another constant";
  if (schema.contains("enum") && !has(schema["enum"], value)) return path + ": none of the words";
  if (schema.contains("type") && !is_of_type(value, schema["type"])) return path + ": another type";
  if (value.is_primitive()) return {};
  std::string found;
  if (value.is_object()) {
    for (const Json& key : part(schema, "required"))
      if (!value.contains(key.get_ref<const std::string&>())) return path + ": without " + key.get<std::string>();
    for (auto each = value.begin(); each != value.end() && found.empty(); ++each) {
      const Json& known = part(part(schema, "properties"), each.key());
      const Json& of = known.is_null() ? part(schema, "additionalProperties") : known;
      found = of.is_null() ? ": not described" : violation(of, *each, "");
      if (!found.empty()) found = path + "." + each.key() + found;
    }
  }
  for (std::size_t i = 0; value.is_array() && i < value.size() && found.empty(); ++i)
    if (found = violation(schema["items"], value[i], ""); !found.empty())
      found = fmt::format("{}[{}]{}", path, i, found);
  return found;
}

std::string violation(RecordFile kind, const std::string& text) {
  return violation(Json::parse(record_schema(kind)), Json::parse(text), std::string(word(kind)));
}

TEST(JsonSchemaOfRecords, HoldsForWhatIsWritten) {
  EXPECT_EQ(violation(RecordFile::Result, to_json(testing::example_record())), "");
  EXPECT_EQ(violation(RecordFile::Instructions, to_json(testing::example_instructions())), "");
  EXPECT_EQ(violation(RecordFile::Machine, to_json(testing::example_machine())), "");
}

TEST(JsonSchemaOfRecords, SeesWhatIsWrong) {
  const Json whole = Json::parse(to_json(testing::example_record()));
  const auto with = [&](const char* pointer, const Json& value) {
    Json changed = whole;
    changed[Json::json_pointer(pointer)] = value;
    return violation(RecordFile::Result, changed.dump());
  };
  EXPECT_EQ(with("/record", "machine"), "result.record: another constant");
  EXPECT_EQ(with("/rows/1/outcome", "great"), "result.rows[1].outcome: none of the words");
  EXPECT_EQ(with("/rows/1/estimates/0/value", "4"), "result.rows[1].estimates[0].value: another type");
  EXPECT_EQ(with("/rows/1/samples/0/n", 1.5), "result.rows[1].samples[0].n: another type");
  EXPECT_EQ(with("/rows/1/parameters/mode", 1.5), "result.rows[1].parameters.mode: another type");
  EXPECT_EQ(with("/rows/1/window", Json::object()), "result.rows[1].window: without verdict");
  EXPECT_EQ(with("/rows/1/sampels", 1), "result.rows[1].sampels: not described");
}

std::vector<CaseRecord>& rows_of(Record& record) { return record.cases; }
std::vector<InstructionRecord>& rows_of(InstructionTable& table) { return table.rows; }
std::vector<MachineRow>& rows_of(MachineTable& table) { return table.rows; }

/// All of a record of this schema, and of an earlier one what some of its rows are rewritten as.
template <class T>
int check_committed(RecordFile kind, const std::filesystem::path& path,
                    Expected<T> (*read)(std::string_view, const std::string&)) {
  std::string text = read_packed_file(path).value_or("");
  if (!text.starts_with(to_json(T()).substr(0, 20))) {
    auto record = read(text, path.string());
    EXPECT_TRUE(record) << record.error().message();
    if (!record) return 0;
    rows_of(*record).resize(std::min<std::size_t>(rows_of(*record).size(), 100));
    text = to_json(*record);
  }
  EXPECT_EQ(violation(kind, text), "") << path;
  return 1;
}

TEST(JsonSchemaOfRecords, HoldsForEveryCommittedRecord) {
  int checked = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(WARPCLOCK_SOURCE_DIR "/reports")) {
    const std::string name = without_gz(file.path()).filename().string();
    if (name == "result.json") checked += check_committed(RecordFile::Result, file.path(), parse_record);
    if (name == "instructions.json")
      checked += check_committed(RecordFile::Instructions, file.path(), read_instruction_table);
    if (name == "machine.json") checked += check_committed(RecordFile::Machine, file.path(), read_machine_table);
  }
  EXPECT_GE(checked, 3);
}

}  // namespace
}  // namespace warpclock
