#include <gtest/gtest.h>

#include "base/json/json_text.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/record.hpp"
#include "report/html/testing/packed.hpp"
#include "report/overview/index_html.hpp"

namespace warpclock {
namespace {

TEST(SearchIndex, HasAllPagesOfAGpu) {
  const Record record = testing::example_record();
  const InstructionTable table = testing::example_instructions();
  const MachineTable machine = testing::example_machine();
  const ReportedGpu gpu{
      .folder = "nvidia-h200", .results = {{"", &record}, {"memory", &record}}, .table = &table, .machine = &machine};
  const Json index = Json::parse(testing::unpacked(search_index(gpu)));
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
  const Json index = Json::parse(search_text({}));
  EXPECT_EQ(index["near"]["exp"][0], "ex2");
  EXPECT_GT(index["near"].size(), 20u);
  EXPECT_EQ(index["probes"].size(), 0u);
}

}  // namespace
}  // namespace warpclock
