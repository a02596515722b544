#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "answer/instructions/machine_parts.hpp"
#include "answer/words/table_words.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/overlap.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/machine.hpp"

namespace warpclock {
namespace {

TEST(MachineCells, SayWhatARowHas) {
  const MachineTable table = testing::example_machine();
  const MachineRow &ffma = table.rows[0], &mufu = table.rows[2], &isetp = table.rows[3];
  EXPECT_EQ(machine_latencies(ffma), "A 4 \xC2\xB7 B 4 \xC2\xB7 C 4");
  EXPECT_EQ(machine_latencies(mufu), "A 23");
  EXPECT_EQ(machine_latencies(isetp), "A 9.2");
  EXPECT_EQ(issue_interval_text(ffma), "2");
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

TEST(MachineWords, AreTheCellsOfEachRowOrWhyItHasNone) {
  const MachineTable table = rounded(testing::example_machine());
  const Json words = machine_words(table);
  testing::expect_golden("machine_words.json", words.dump(1) + "\n", "answer");
  ASSERT_EQ(words["rows"].size(), table.rows.size());
  EXPECT_EQ(words["rows"][0]["latency"], "A 4 \xC2\xB7 B 4 \xC2\xB7 C 4");
  EXPECT_FALSE(words["rows"][0].contains("code"));
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    EXPECT_EQ(words["rows"][i].contains("code"), !has_numbers(table.rows[i])) << table.rows[i].key;
  EXPECT_EQ(words["counts"][0][0], "measured");
}

}  // namespace
}  // namespace warpclock
