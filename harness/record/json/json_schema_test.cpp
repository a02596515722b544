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

std::string violation(const std::string& text) {
  return testing::violation(json_of(record_schema()), json_of(text), "record");
}

TEST(JsonSchemaOfRecords, HoldsForWhatIsWritten) {
  EXPECT_EQ(violation(to_json(testing::example_record())), "");
  EXPECT_EQ(violation(to_json(testing::example_instructions())), "");
  EXPECT_EQ(violation(to_json(testing::example_machine())), "");
  EXPECT_EQ(violation(to_json(testing::example_kernels())), "");
}

TEST(JsonSchemaOfRecords, SeesWhatIsWrong) {
  const Json whole = json_of(to_json(testing::example_record()));
  const auto with = [&](const char* pointer, const Json& value) {
    Json changed = whole;
    changed[Json::json_pointer(pointer)] = value;
    return violation(changed.dump());
  };
  EXPECT_EQ(with("/record", "machines"), "record.record: none of the words");
  EXPECT_EQ(with("/rows/1/outcome", "great"), "record.rows[1].outcome: none of the words");
  EXPECT_EQ(with("/rows/1/estimates/0/value", "4"), "record.rows[1].estimates[0].value: another type");
  EXPECT_EQ(with("/rows/1/samples/0/n", 1.5), "record.rows[1].samples[0].n: another type");
  EXPECT_EQ(with("/rows/1/parameters/mode", 1.5), "record.rows[1].parameters.mode: another type");
  EXPECT_EQ(with("/rows/1/window", Json::object()), "record.rows[1].window: without verdict");
  EXPECT_EQ(with("/rows/1/sampels", 1), "record.rows[1].sampels: not described");
}

TEST(JsonSchemaOfRecords, HoldsForEveryCommittedRecord) {
  int checked = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(WARPCLOCK_SOURCE_DIR "/reports")) {
    const std::string name = without_gz(file.path()).stem().string();
    if (std::ranges::none_of(every_record_file, [&](RecordFile each) { return word(each) == name; })) continue;
    if (file.path().extension() != ".gz") continue;
    EXPECT_EQ(violation(must(read_packed_file(file.path()))), "") << file.path();
    ++checked;
  }
  EXPECT_GE(checked, 10);
}

}  // namespace
}  // namespace warpclock
