#include <gtest/gtest.h>

#include <algorithm>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/words/page_words.hpp"
#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"

namespace warpclock {
namespace {

Row rated(const std::string& id, double rate, const std::string& trick = "") {
  Row row;
  row.id = id;
  row.estimates = {{"throughput", rate, rate - 1, rate + 1, "1/clk/SM", "rate", 15, ""}};
  row.instruction.runs = {testing::example_run("throughput.ilp4", "X", 1, 4)};
  row.instruction.runs[0].trick = trick;
  return row;
}

Row skipped(const std::string& id, const std::string& code) {
  Row row;
  row.id = id;
  row.outcome = Outcome::Skipped;
  row.reason = {"plan", code, "needs another"};
  return row;
}

GuideRow one(const std::string& name, std::vector<GuideAsk> asks, double rate, const std::string& why = "",
             std::vector<std::string> of = {}) {
  return {name, name, std::move(asks), {{{Arch{90, false}}, rate, "a page", "", why, std::move(of)}}, ""};
}

/// A guide with a row for every verdict.
Guide example_guide() {
  Guide guide{"The Guide, Table 4", {}};
  guide.rows = {one("whole", {{"a", {"f/whole"}, 1, ""}}, 64),
                one("short", {{"a", {"f/short"}, 1, ""}}, 64),
                one("halves", {{"a", {"f/half"}, 2, "two halves"}}, 128),
                one("fast", {{"a", {"f/fast"}, 1, ""}}, 16),
                one("ways", {{"a", {"f/short", "f/whole", "f/none"}, 1, ""}}, 64),
                one("other ways", {{"a", {"f/none", "f/whole"}, 1, ""}}, 64),
                one("explained", {{"a", {"f/short"}, 1, ""}, {"b", {"f/whole"}, 1, ""}}, 64, "two instructions", {"a"}),
                one("half explained", {{"a", {"f/short"}, 1, ""}, {"b", {"f/half"}, 1, ""}}, 64, "so it is", {"b"}),
                one("partly", {{"a", {"f/whole"}, 1, ""}, {"b", {"f/absent"}, 1, ""}}, 64),
                one("absent", {{"a", {"f/absent"}, 1, ""}}, 64),
                one("lacking", {{"a", {"f/lacking"}, 1, ""}}, 64),
                one("several", {{"a", {"f/whole"}, 1, ""}}, 0),
                one("unknown", {{"a", {"f/whole"}, 1, ""}}, 64)};
  guide.rows[0].rates[0].unconfirmed = "nobody <quotes> it";
  guide.rows.back().rates[0].archs = {Arch{80, false}};
  return guide;
}

Record example_table() {
  Record table{.file = RecordFile::Instructions};
  table.provenance = testing::example_record().provenance;
  table.device = testing::example_record().device;
  table.rows = {rated("f/whole", 64),
                rated("f/short", 62.5, "composed"),
                rated("f/half", 64.5),
                rated("f/fast", 64),
                skipped("f/none", "unsupported-arch"),
                skipped("f/lacking", "unsupported-arch"),
                skipped("f/absent", "no-instruction")};
  table.guide = compare_with_guide(example_guide(), table);
  return table;
}

const GuideLine& line_of(const GuideComparison& comparison, std::string_view row) {
  return *std::ranges::find(comparison.lines, row, &GuideLine::row);
}

TEST(InstructionGuide, JudgesEveryOperation) {
  const Record table = example_table();
  std::vector<std::string> verdicts;
  for (const GuideLine& line : table.guide.lines)
    verdicts.push_back(line.row + " " + line.operation + ": " + line.verdict);
  EXPECT_THAT(verdicts, ElementsAre("whole a: meets", "short a: below", "halves a: meets", "fast a: above",
                                    "ways a: below", "other ways a: meets", "explained a: below", "explained b: meets",
                                    "half explained a: below", "half explained b: meets", "partly a: meets",
                                    "partly b: not measured", "absent a: not measured", "lacking a: no counterpart",
                                    "several a: no rate", "unknown a: no rate"));
}

TEST(InstructionGuide, CountsTheResultsOfAnInstruction) {
  const Record table = example_table();
  const GuideLine& line = line_of(table.guide, "halves");
  EXPECT_EQ(line.measured, 129);
  EXPECT_EQ(line.low, 127);
  EXPECT_EQ(line.high, 131);
  EXPECT_EQ(line.ratio, 129.0 / 128);
}

TEST(InstructionGuide, TakesThePlainFormAndAnotherOnlyWhereThereIsNone) {
  const Record table = example_table();
  EXPECT_EQ(line_of(table.guide, "ways").id, "f/short") << "f/whole is faster, and not what the guide names";
  EXPECT_EQ(line_of(table.guide, "other ways").id, "f/whole");
  EXPECT_EQ(line_of(table.guide, "short").trick, "composed");
}

TEST(InstructionGuide, DrawsTheLineAt98And102Percent) {
  Record table = example_table();
  const auto verdict = [&](double rate) {
    table.rows[0].estimates[0].value = rate;
    return line_of(compare_with_guide(example_guide(), table), "whole").verdict;
  };
  EXPECT_EQ(verdict(62.71), "below");
  EXPECT_EQ(verdict(62.72), "meets");
  EXPECT_EQ(verdict(65.28), "meets");
  EXPECT_EQ(verdict(65.29), "above");
}

TEST(InstructionGuide, CountsRowsAndNamesTheOthers) {
  EXPECT_EQ(guide_summary(example_table().guide),
            "4 of 11 rows at 98 % or more; below: short, ways, half explained; above: fast; another rate, explained: "
            "explained; not measured: partly, absent, lacking; no documented rate: several, unknown");
  EXPECT_EQ(guide_summary({}), "");
}

TEST(InstructionGuide, SaysThatThereIsNoColumn) {
  Record table = example_table();
  for (const char* arch : {"sm_103a", "gfx90a", ""}) {
    table.device.arch = arch;
    const GuideComparison comparison = compare_with_guide(example_guide(), table);
    EXPECT_TRUE(comparison.lines.empty());
    EXPECT_EQ(guide_summary(comparison), std::string("the table has no column for ") + arch);
  }
  EXPECT_EQ(compare_with_guide(Guide{}, table), GuideComparison{});
}

TEST(InstructionGuide, IsTheAcceptedText) {
  Record table = example_table();
  table.rows.clear();
  const Json words = instruction_words(table, table)["guide"];
  testing::expect_golden("instruction_guide.json", words.dump(1) + "\n", "answer");
  EXPECT_EQ(words["summary"], guide_summary(table.guide));
  EXPECT_EQ(words["lines"].size(), table.guide.lines.size());
}

TEST(InstructionGuide, ReadsBackFromJson) {
  const Record table = rounded(example_table());
  const std::string text = to_json(table);
  const auto again = must(parse_record(text, "instructions.json", {{RecordFile::Instructions}}));
  EXPECT_EQ(again.guide, table.guide);
  EXPECT_EQ(to_json(again), text);
  EXPECT_THAT(text,
              HasSubstr("{\"row\":\"short\",\"short\":\"short\",\"operation\":\"a\",\"id\":\"f/short\","
                        "\"results\":1,\"documented\":64,\"measured\":62.5,\"low\":61.5,\"high\":63.5,"
                        "\"ratio\":0.976562,\"verdict\":\"below\",\"safeguard\":\"composed\",\"source\":\"a page\"}"));
  Record lacking = table;
  lacking.guide = {"The Guide", "no column", {}};
  EXPECT_EQ(parse_record(to_json(lacking), "", {{RecordFile::Instructions}})->guide, lacking.guide);
}

}  // namespace
}  // namespace warpclock
