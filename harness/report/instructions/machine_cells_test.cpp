#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/overlap.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/machine.hpp"
#include "report/instructions/machine_parts.hpp"
#include "report/page/table_pages.hpp"

namespace warpclock {
namespace {

TEST(MachineCells, SayWhatARowHas) {
  const MachineTable table = testing::example_machine();
  const MachineRow &ffma = table.rows[0], &hmma = table.rows[1], &mufu = table.rows[2], &isetp = table.rows[3];
  EXPECT_EQ(machine_latencies(ffma), "A 4 \xC2\xB7 B 4 \xC2\xB7 C 4");
  EXPECT_EQ(machine_latencies(mufu), "A 23");
  EXPECT_EQ(machine_latencies(isetp), "A 9.2");
  EXPECT_THAT(machine_findings(isetp), ElementsAre("A: 9.2 cycles by timing, minimum stall count 8"));
  EXPECT_THAT(machine_findings(ffma), IsEmpty());
  EXPECT_THAT(machine_findings(hmma),
              ElementsAre("C: among other warps of its sub-partition the minimum stall count is 13",
                          "ptxas encodes at least 24 cycles; the largest minimum stall count is 11"));
  EXPECT_EQ(least_stalls(ffma), "4");
  EXPECT_EQ(least_stalls(mufu), "by scoreboard");
  MachineRow uneven = ffma;
  uneven.latencies[1].least_right = 5;
  EXPECT_EQ(least_stalls(uneven), "A 4 \xC2\xB7 B 5 \xC2\xB7 C 4");
  EXPECT_EQ(issue_interval_text(ffma), "2");
  EXPECT_EQ(one_warp_text(ffma), "2.05");
  EXPECT_EQ(one_warp_text(hmma), "");
}

const RelationGrid& grid_of(const std::vector<RelationGrid>& grids, std::string_view title) {
  const auto at = std::ranges::find(grids, title, &RelationGrid::title);
  EXPECT_NE(at, grids.end()) << title;
  return *at;
}

TEST(MachineRelations, AreGridsOfWhatWasMeasured) {
  const auto grids = relation_grids(testing::example_machine());
  ASSERT_EQ(grids.size(), 6);
  const RelationGrid& ways = grid_of(grids, "Producer to consumer");
  EXPECT_THAT(ways.columns, ElementsAre("LDS", "FFMA", "FFMA C"));
  EXPECT_EQ(ways.rows[0].name, "FFMA");
  EXPECT_EQ(ways.rows[0].cells[0].text, "5 (6)");
  EXPECT_EQ(ways.rows[1].cells[1].text, "23");
  EXPECT_EQ(ways.rows[1].cells[2].text, "");
  EXPECT_THAT(ways.rows[1].cells[2].title, HasSubstr("a stale read does not show"));
  const RelationGrid& banks = grid_of(grids, "Register banks and reuse");
  EXPECT_EQ(banks.rows[1].name, "FFMA, reuse A");
  EXPECT_EQ(banks.rows[0].cells[0].text, "3");
  EXPECT_GT(banks.rows[0].cells[0].shade, banks.rows[1].cells[0].shade);
  EXPECT_THAT(relation_grids(MachineTable{}), IsEmpty());
}

TEST(MachineRelations, SayWhichShareOfAnInstructionIsHidden) {
  const MachineTable table = testing::example_machine();
  // Alone 1 and 4 cycles; both together 4.25, and 4.5 in runs.
  EXPECT_DOUBLE_EQ(hidden_share(table, table.pairs[1]).value(), 0.75);
  EXPECT_DOUBLE_EQ(hidden_share(table, table.pairs[2]).value(), 0.5);
  const auto grids = relation_grids(table);
  const RelationGrid& pairs = grid_of(grids, "Two instructions together");
  EXPECT_EQ(pairs.rows[0].cells[0].text, "1");
  EXPECT_EQ(pairs.rows[0].cells[1].text, "75 (50)");
  EXPECT_EQ(pairs.rows[1].cells[0].text, "75 (50)") << "it is the same both ways";
  MachineTable alone = table;
  alone.pairs.erase(alone.pairs.begin());
  EXPECT_FALSE(hidden_share(alone, alone.pairs[0]));
}

TEST(MachineRelations, SayWhatIsHiddenBehindAMultiplyOfAWarpGroup) {
  MachineTable table = testing::example_machine();
  const IssueStudy& study = table.with_multiplies[0];
  for (const auto& [form, cycles] : {std::pair{study.forms[0], 32.0}, std::pair{study.forms[1], 2.0}}) {
    const auto known = std::ranges::find(table.rows, form, &MachineRow::key);
    MachineRow& row = known != table.rows.end() ? *known : table.rows.emplace_back();
    row.key = form;
    row.interval = Estimate{.name = "interval", .value = cycles};
  }
  // 32 cycles and 16 times 2 cycles take 40 together.
  const auto grids = relation_grids(table);
  const RelationGrid& grid = grid_of(grids, "Instructions together with wgmma");
  EXPECT_EQ(grid.columns[0], "HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#");
  EXPECT_EQ(grid.rows[0].name, "FFMA");
  EXPECT_EQ(grid.rows[0].cells[0].text, "75");
}

TEST(MachineRelations, SayWhatIsHiddenInOtherWarps) {
  MachineTable table = testing::example_machine();
  const IssueStudy& study = table.between_warps[0];
  for (const auto& [form, cycles] : {std::pair{study.forms[0], 1.0}, std::pair{study.forms[1], 4.0}}) {
    const auto known = std::ranges::find(table.rows, form, &MachineRow::key);
    MachineRow& row = known != table.rows.end() ? *known : table.rows.emplace_back();
    row.key = form;
    row.interval = Estimate{.name = "interval", .value = cycles};
  }
  // Four times 1 cycle and 4 cycles take 6 together.
  const auto grids = relation_grids(table);
  const RelationGrid& grid = grid_of(grids, "Two instructions in different warps");
  EXPECT_EQ(grid.rows[0].name, "LDS");
  EXPECT_EQ(grid.columns[0], "FFMA");
  EXPECT_EQ(grid.rows[0].cells[0].text, "50");
  EXPECT_EQ(grid.rows[1].cells[1].text, "50") << "it is the same both ways";
}

TEST(MachineRelations, FindWhereLongCodeBecomesSlower) {
  const MachineTable table = testing::example_machine();
  const auto bend = must(fetch_bend(table.fetch[0].cells[0]));
  EXPECT_EQ(bend.last_straight, 256);
  EXPECT_EQ(bend.first_slow, 512);
  EXPECT_DOUBLE_EQ(bend.before, 1);
  EXPECT_DOUBLE_EQ(bend.after, 3);
  const auto grids = relation_grids(table);
  const RelationGrid& fetch = grid_of(grids, "Instruction fetch");
  EXPECT_EQ(fetch.rows[0].cells[0].text, "256: 1 \xE2\x86\x92 3");
  EXPECT_EQ(fetch.rows[0].cells[1].text, "1") << "no bend";
  EXPECT_FALSE(fetch_bend(IssueCell{}));
}

TEST(MachineCells, ARowWithNoNumberSaysWhy) {
  MachineRow row;
  EXPECT_FALSE(has_numbers(row));
  row.latencies.resize(2);
  row.latencies[0].note = row.latencies[1].note = "no return path";
  row.cells.resize(1);
  row.cells[0].note = "no line";
  EXPECT_EQ(why_none(row).code, "no-number");
  EXPECT_EQ(why_none(row).text, "no return path; no line");
  row.reason = Error{"compose", "why", "there"};
  EXPECT_EQ(why_none(row), *row.reason);
  row.latencies[1].least_right = 4;
  EXPECT_TRUE(has_numbers(row));
}

TEST(MachineCells, CountsRowsByReason) {
  MachineTable table = testing::example_machine();
  table.rows.push_back(table.rows[4]);
  const MachineCounts all = count_rows(table);
  EXPECT_EQ(all.rows, 7u);
  EXPECT_EQ(all.measured, 4u);
  EXPECT_EQ(all.intervals, 4u);
  EXPECT_EQ(all.complete, 3u);
  const std::vector<std::pair<std::string, std::size_t>> without = {{"control-flow", 2}, {"<b>", 1}};
  EXPECT_EQ(all.without, without);
}

TEST(MachineRelations, ShadeUpToTwiceTheLeast) {
  EXPECT_EQ(heat_shade(8, 8), 0);
  EXPECT_EQ(heat_shade(12, 8), 3);
  EXPECT_EQ(heat_shade(16, 8), 5);
  EXPECT_EQ(heat_shade(1e300, 8), 5);
  EXPECT_EQ(heat_shade(8, 0), 0);
}

TEST(MachineWords, AreTheCellsOfEachRowOrWhyItHasNone) {
  const MachineTable table = rounded(testing::example_machine());
  const Json words = machine_words(table);
  testing::expect_golden("machine_words.json", words.dump(1) + "\n");
  ASSERT_EQ(words["rows"].size(), table.rows.size());
  EXPECT_EQ(words["rows"][0]["latency"], "A 4 \xC2\xB7 B 4 \xC2\xB7 C 4");
  EXPECT_FALSE(words["rows"][0].contains("code"));
  EXPECT_EQ(words["rows"][1]["findings"].size(), 2);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    EXPECT_EQ(words["rows"][i].contains("code"), !has_numbers(table.rows[i])) << table.rows[i].key;
  EXPECT_EQ(words["grids"].size(), 6);
  EXPECT_EQ(words["counts"][0][0], "measured");
}

}  // namespace
}  // namespace warpclock
