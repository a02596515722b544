#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "answer/ask/hits.hpp"
#include "base/json/json_writer.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

/// The rows that the index has in short.
std::vector<std::pair<std::string, Json>> rows_of(const Json& short_rows) {
  std::vector<std::pair<std::string, Json>> rows;
  std::string before;
  if (short_rows[0] == "") return rows;
  for (const std::string& text : split(short_rows[0].get<std::string>(), '\n')) {
    before = before.substr(0, static_cast<std::size_t>(text[0] - ' ')) + text.substr(1);
    rows.emplace_back(before, short_rows[1].at(rows.size()));
  }
  return rows;
}

TEST(SearchIndex, HasAllPagesOfAGpu) {
  const Record record = testing::example_record();
  const Record table = testing::example_instructions();
  const Record machine = testing::example_machine();
  const ReportedGpu gpu{
      .folder = "nvidia-h200", .results = {{"", &record}, {"memory", &record}}, .table = &table, .machine = &machine};
  const Json index = json_of(search_text(gpu));
  EXPECT_THAT(
      index["pages"].dump(),
      StartsWith(
          R"([["full","report.html","report"],["memory","memory/report.html","report"],)"
          R"(["instructions","instructions.html","instructions"],["machine instructions","machine.html","machine"])"));
  std::vector<std::string> ids;
  for (const auto& [id, value] : rows_of(index["instructions"])) ids.push_back(id);
  EXPECT_EQ(ids, mapped(table.rows, &Row::id));
  std::size_t forms = 0;
  for (const auto& [opcode, count] : rows_of(index["machine"])) {
    EXPECT_THAT(opcode, Not(HasSubstr("@")));
    forms += count.get<std::size_t>();
  }
  EXPECT_EQ(forms, 6);
  std::set<std::string> probes;
  for (std::size_t i = 0; i < index["probes"][0].size(); ++i)
    probes.insert(index["probes"][0][i].dump() + index["probes"][1][i].get<std::string>());
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
  Record first = testing::example_instructions(), second = first;
  const auto row = std::ranges::find_if(second.rows, [](const Row& one) {
    return one.outcome == Outcome::Measured && !one.estimates.empty() && one.estimates[0].name.starts_with("latency");
  });
  ASSERT_NE(row, second.rows.end());
  row->estimates[0].value += 7;
  const std::vector<ReportedGpu> gpus = {{.folder = "nvidia-h100", .results = {{"", &h100}}, .table = &first},
                                         {.folder = "nvidia-h200", .results = {{"", &h200}}, .table = &second}};
  const Json index = json_of(search_text_of_all(gpus));
  EXPECT_THAT(index["pages"].dump(), StartsWith(R"([["H100, full","nvidia-h100/report.html","report"],)"
                                                R"(["H200, full","nvidia-h200/report.html","report"],)"
                                                R"(["all GPUs, instructions","instructions.html","instructions"])"));
  std::map<std::string, std::set<std::size_t>> pages_of;
  for (std::size_t i = 0; i < index["probes"][0].size(); ++i)
    pages_of[index["probes"][1][i]].insert(index["probes"][0][i].get<std::size_t>());
  for (const auto& [probe, pages] : pages_of) EXPECT_EQ(pages, (std::set<std::size_t>{0, 1})) << probe;
  const auto shown = rows_of(index["instructions"]);
  EXPECT_EQ(shown.size(), first.rows.size());
  for (const auto& [id, json] : shown) {
    const auto value = json.get<std::string>();
    EXPECT_EQ(value.contains("H100 ") && value.contains("H200 "), id == row->id) << value;
    EXPECT_FALSE(value.contains("other code")) << value;
  }
  row->estimates[0].low = row->estimates[0].high = row->estimates[0].value;
  row->instruction.runs[0].sass_hash = "composed";
  std::string said;
  const Json again = Json::parse(search_text_of_all(gpus));
  for (const auto& [id, value] : rows_of(again["instructions"]))
    if (id == row->id) said = value.get<std::string>();
  EXPECT_THAT(said, EndsWith(" cycles by other code"));
}

/// What `warpclock ask` says of a topic, the search of pages finds.
TEST(SearchIndex, HasTheTopicsOfEachCommittedGpu) {
  std::vector<ReportedGpu> gpus;
  for (const auto& one : testing::committed_gpus()) {
    ReportedGpu& gpu = gpus.emplace_back(ReportedGpu{.folder = one.gpu.folder});
    for (const auto& [file, record] : one.gpu.results)
      gpu.results.emplace(file.contains('/') ? file.substr(0, file.find('/')) : "", &record);
    gpu.table = &*one.gpu.instructions;
    gpu.machine = &*one.gpu.machine;
  }
  const Json all = json_of(search_text_of_all(gpus)), own = json_of(search_text(gpus.back()));
  const auto of = [](const Json& index, const std::string& phrase) {
    for (const Json& topic : index["topics"])
      if ((", " + topic[0].get<std::string>() + ",").contains(", " + phrase + ",")) return topic;
    return Json();
  };
  for (const char* phrase : {"__syncthreads", "atomicadd", "coalescing", "launch overhead", "dpx"}) {
    const Json mine = of(own, phrase), both = of(all, phrase);
    ASSERT_EQ(mine.size(), 6U) << phrase;
    EXPECT_NE(mine[2], "") << phrase;
    const auto page = own["pages"].at(mine[3].get<std::size_t>())[1].get<std::string>();
    EXPECT_THAT(page, EndsWith(".html")) << phrase;
    EXPECT_EQ(both[1], mine[1]) << phrase;
    EXPECT_THAT(all["pages"].at(both[3].get<std::size_t>())[1].get<std::string>(), HasSubstr("/" + page)) << phrase;
  }
}

}  // namespace
}  // namespace warpclock
