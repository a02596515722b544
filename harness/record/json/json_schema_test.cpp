#include "base/json/json_schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"
#include "record/testing/schema.hpp"

namespace warpclock {
namespace {

std::string violation(RecordFile kind, const std::string& text) {
  return testing::violation(json_of(record_schema(kind)), json_of(text), std::string(word(kind)));
}

TEST(JsonSchemaOfRecords, HoldsForWhatIsWritten) {
  EXPECT_EQ(violation(RecordFile::Result, to_json(testing::example_record())), "");
  EXPECT_EQ(violation(RecordFile::Instructions, to_json(testing::example_instructions())), "");
  EXPECT_EQ(violation(RecordFile::Machine, to_json(testing::example_machine())), "");
  EXPECT_EQ(violation(RecordFile::Cases, to_json(testing::example_kernels())), "");
}

TEST(JsonSchemaOfRecords, SeesWhatIsWrong) {
  const Json whole = json_of(to_json(testing::example_record()));
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
std::vector<KernelRow>& rows_of(KernelTable& table) { return table.rows; }

/// All of a record of this schema, and of an earlier one what some of its rows are rewritten as.
template <class T>
int check_committed(RecordFile kind, const std::filesystem::path& path,
                    Expected<T> (*read)(std::string_view, const std::string&)) {
  std::string text = read_packed_file(path).value_or("");
  if (!text.starts_with(to_json(T()).substr(0, 20))) {
    auto record = must(read(text, path.string()));
    rows_of(record).resize(std::min<std::size_t>(rows_of(record).size(), 100));
    text = to_json(record);
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
    if (name == "cases.json") checked += check_committed(RecordFile::Cases, file.path(), read_kernel_table);
  }
  EXPECT_GE(checked, 3);
}

}  // namespace
}  // namespace warpclock
