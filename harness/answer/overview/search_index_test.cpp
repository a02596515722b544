#include "answer/overview/search_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/json/json_writer.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

TEST(SearchIndex, HasAllPagesOfAGpu) {
  const Record record = testing::example_record();
  const InstructionTable table = testing::example_instructions();
  const MachineTable machine = testing::example_machine();
  const ReportedGpu gpu{
      .folder = "nvidia-h200", .results = {{"", &record}, {"memory", &record}}, .table = &table, .machine = &machine};
  const Json index = json_of(search_text(gpu));
  EXPECT_EQ(
      index["pages"].dump(),
      R"([["full","report.html","report"],["memory","memory/report.html","report"],)"
      R"(["instructions","instructions.html","instructions"],["machine instructions","machine.html","machine"]])");
  EXPECT_EQ(index["instructions"].size(), table.rows.size());
  std::size_t forms = 0;
  for (const Json& opcode : index["machine"]) {
    EXPECT_THAT(opcode[0].get<std::string>(), Not(HasSubstr("@")));
    forms += opcode[1].get<std::size_t>();
  }
  EXPECT_EQ(forms, machine.rows.size());
  std::set<std::string> probes;
  for (const Json& probe : index["probes"]) probes.insert(probe[0].dump() + probe[1].get<std::string>());
  for (const ProbeRecord& probe : record.probes) {
    EXPECT_TRUE(probes.contains("0" + probe.name)) << probe.name;
    EXPECT_TRUE(probes.contains("1" + probe.name)) << probe.name;
  }
}

TEST(SearchIndex, OfNothingHasTheWordsThatMeanTheSame) {
  const Json index = json_of(search_text({}));
  EXPECT_EQ(index["near"]["exp"][0], "ex2");
  EXPECT_GT(index["near"].size(), 20u);
  EXPECT_EQ(index["probes"].size(), 0u);
}

/// The page of all GPUs: what it finds names its GPU and leads to its pages.
TEST(SearchIndex, OfAllGpusNamesTheGpuOfEachHit) {
  Record h100 = testing::example_record(), h200 = testing::example_record();
  h100.device.name = "NVIDIA H100";
  h200.device.name = "NVIDIA H200";
  InstructionTable first = testing::example_instructions(), second = first;
  const auto row = std::ranges::find_if(second.rows, [](const InstructionRecord& one) {
    return one.outcome == Outcome::Measured && !one.estimates.empty() && one.estimates[0].name.starts_with("latency");
  });
  ASSERT_NE(row, second.rows.end());
  row->estimates[0].value += 7;
  const std::vector<ReportedGpu> gpus = {{.folder = "nvidia-h100", .results = {{"", &h100}}, .table = &first},
                                         {.folder = "nvidia-h200", .results = {{"", &h200}}, .table = &second}};
  const Json index = json_of(search_text_of_all(gpus));
  EXPECT_EQ(index["pages"].dump(), R"([["H100, full","nvidia-h100/report.html","report"],)"
                                   R"(["H200, full","nvidia-h200/report.html","report"],)"
                                   R"(["all GPUs, instructions","instructions.html","instructions"]])");
  std::map<std::string, std::set<std::size_t>> pages_of;
  for (const Json& probe : index["probes"]) pages_of[probe[1]].insert(probe[0].get<std::size_t>());
  for (const auto& [probe, pages] : pages_of) EXPECT_EQ(pages, (std::set<std::size_t>{0, 1})) << probe;
  EXPECT_EQ(index["instructions"].size(), first.rows.size());
  for (const Json& one : index["instructions"]) {
    const auto value = one[1].get<std::string>();
    EXPECT_EQ(value.contains("H100 ") && value.contains("H200 "), one[0] == row->id) << value;
    EXPECT_FALSE(value.contains("other code")) << value;
  }
  row->estimates[0].low = row->estimates[0].high = row->estimates[0].value;
  row->runs[0].sass_hash = "composed";
  std::string said;
  const Json again = Json::parse(search_text_of_all(gpus));
  for (const Json& one : again["instructions"])
    if (one[0] == row->id) said = one[1].get<std::string>();
  EXPECT_THAT(said, EndsWith(" cycles by other code"));
}

}  // namespace
}  // namespace warpclock
