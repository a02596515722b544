#include "record/json/instruction_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/text.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string table_problem(const std::string& text) {
  const auto table = read_instruction_table(text);
  return table ? "read" : table.error().code + " " + table.error().message();
}

/// A table with one row of the given members beside id and ptx.
std::string with_row(const std::string& members) {
  return R"({"schema":{"major":2,"minor":0,"patch":0},
    "provenance":{"commit":"c","dirty":false,"version":"0.1.0","date":"d"},
    "device":{"name":"n","slug":"s","arch":"sm_90a"},"texts":["one","two"],"lists":[["verify","count","why"]],
    "opcodes":["FADD"],"mixes":[[0,2]],"controls":["B"],"lines":[[0,"FADD"]],
    "asks":[["latency.a","verified",""]],"kinds":[["latency.a","cycles","slope",9]],"metrics":["m"],
    "grids":[[[1,16,5]],[[1,4]],[[1,16,99999999]],[[1]]],
    "rows":[{"id":"fp32/x","ptx":"x {d}")" +
         (members.empty() ? "" : "," + members) + "}]}";
}

TEST(InstructionJson, IsTheAcceptedText) {
  testing::expect_golden("instructions.json", to_json(testing::example_instructions()));
}

TEST(InstructionJson, ReadsBackWhatItWroteByteForByte) {
  InstructionTable table = rounded(testing::example_instructions());
  table.rows.pop_back();  // its characters are not all UTF-8's
  ASSERT_FALSE(table.rows[0].runs.empty());
  table.rows[0].runs[0].note = "UMOV is done once for all copies";
  const std::string text = to_json(table);
  const auto again = read_instruction_table(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, table);
  EXPECT_EQ(again->rows[0].runs[0].note, "UMOV is done once for all copies");
  EXPECT_EQ(to_json(*again), text);
}

TEST(InstructionJson, TextThatIsNotUtf8ReadsBackByteForByteToo) {
  InstructionTable table = testing::example_instructions();
  table.rows[0].runs[0].sass = {"\xff", "\xfe", "\xff", "\xfe"};
  table.rows[0].section = "\xc0";
  const std::string text = to_json(table);
  const auto again = read_instruction_table(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(to_json(*again), text);
}

TEST(InstructionJson, ARowIsALine) {
  const InstructionTable table = testing::example_instructions();
  const std::string text = to_json(table);
  const std::string rows = text.substr(text.find("\"rows\":["));
  EXPECT_EQ(lines(rows).size(), table.rows.size() + 2);
}

TEST(InstructionJson, FoldsRepeatedLinesAndSamples) {
  const std::string text = to_json(testing::example_instructions());
  EXPECT_THAT(text, HasSubstr("\"sass\":[0,[16,1],2]"));
  EXPECT_THAT(text, HasSubstr("\"samples\":[0,85,149,277]"));
}

TEST(InstructionJson, SaysOnceWhatRowsShare) {
  InstructionTable table = rounded(testing::many_instructions(100));
  const std::string text = to_json(table);
  EXPECT_THAT(text, HasSubstr("\"asks\":[\n[\"latency.a\",\"verified\",\"\"],\n"));
  const auto again = read_instruction_table(text);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, table);
}

TEST(InstructionJson, ALineWithoutSchedulingStaysAsItIs) {
  InstructionTable table = testing::example_instructions();
  table.rows.resize(1);
  const std::vector<std::string> odd = {"... 7 more instructions ...", "BRA  x", "B  ", "B", "", "  B", "a  b"};
  table.rows[0].runs[0].sass = odd;
  EXPECT_EQ(read_instruction_table(to_json(table))->rows[0].runs[0].sass, odd);
}

TEST(InstructionJson, ManyMentionsOfSomethingLargeDoNotFillTheMemory) {
  const std::string large = "\"" + std::string(1'000'000, 'x') + "\"";
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += R"(,{"id":"a/b","ptx":"p","section":2})";
  std::string text = with_row("");
  text.insert(text.rfind("]}"), rows);
  text.insert(text.find("\"two\"") + 5, "," + large);
  EXPECT_THAT(table_problem(text), HasSubstr("more than a table can hold"));
}

TEST(InstructionJson, RoundsOnce) {
  InstructionTable table = testing::example_instructions();
  table.rows[0].estimates[0].value = 1.0 / 3;
  table.rows[0].runs[0].samples[1][0].cycles = {85.33333, 1e300, std::nan(""), -0.001};
  const InstructionTable once = rounded(table);
  EXPECT_EQ(once.rows[0].estimates[0].value, 0.33333);
  EXPECT_EQ(once.rows[0].runs[0].samples.at(1)[0].cycles[0], 85.33);
  EXPECT_EQ(once.rows[0].runs[0].samples.at(1)[0].cycles[1], 1e300);
  EXPECT_EQ(to_json(once), to_json(table));
  EXPECT_EQ(to_json(*read_instruction_table(to_json(table))), to_json(table));
}

TEST(InstructionJson, PassesOverWhatALaterMinorVersionAdds) {
  const std::string row = R"("estimates":[[0,4,4,4,1]])";
  std::string later = with_row(R"("new":{"a":[1]},"estimates":[[0,4,4,4,1,7]])");
  later.replace(later.find("\"minor\":0"), 9, "\"minor\":7");
  const auto known = read_instruction_table(with_row(row)), newer = read_instruction_table(later);
  ASSERT_TRUE(known && newer);
  EXPECT_EQ(*known, *newer);
}

TEST(InstructionJson, RefusesAnotherMajorVersion) {
  EXPECT_EQ(
      table_problem(R"({"schema": {"major": 3, "minor": 0, "patch": 0}})"),
      "record-version instructions.json: schema 3.0.0 is newer than this program reads (2.x.x); update warpclock");
}

TEST(InstructionJson, SaysWhereTheFirstThingIsThatIsWrong) {
  EXPECT_EQ(table_problem(with_row("")), "read");
  const std::pair<std::string, std::string> wrong[] = {
      {R"("outcome":"great")", "rows[0].outcome: unknown outcome 'great' (measured, rejected, skipped, failed)"},
      {R"("section":2)", "rows[0].section: no such text"},
      {R"("section":-1)", "rows[0].section: no such text"},
      {R"("curve":[])", "rows[0].curve: expected an array of 1 or more, found array"},
      {R"("curve":[9])", "rows[0].curve: no such grid"},
      {R"("curve":[1])", "rows[0].curve: the grid has another number of points"},
      {R"("curve":[3,1])", "rows[0].curve: the grid is none of points"},
      {R"("curve":[1,"2"])", "rows[0].curve[1]: expected a number, found string"},
      {R"("became":7)", "rows[0].became: no such mix"},
      {R"("labels":7)", "rows[0].labels: no such list"},
      {R"("counters":[1,2])", "rows[0].counters: no such metric"},
      {R"("estimates":[[1,4]])", "rows[0].estimates[0]: no such kind"},
      {R"("estimates":[[0,4,4,4,2]])", "rows[0].estimates[0]: no such text"},
      {R"("runs":[[0,"h",0,{"sass":[7]}]])", "rows[0].runs[0][3].sass[0]: no such line"},
      {R"("runs":[[0,"h",0,{"sass":[[9000000000,0]]}]])", "rows[0].runs[0][3].sass[0]: more than a table can hold"},
      {R"("runs":[[0,"h",0,{"samples":[2,4]}]])", "rows[0].runs[0][3].samples[1]: more than a table can hold"},
      {R"("runs":[[0,"h",0,{"samples":[0,4,5]}]])",
       "rows[0].runs[0][3].samples: the grid has another number of series"},
      {R"("runs":[[0,"h",0,{"samples":[1,4]}]])", "rows[0].runs[0][3].samples: the grid is none of samples"},
      {R"("runs":[[0,"h",7]])", "rows[0].runs[0]: no such mix"},
      {R"("runs":[[1,"h",0]])", "rows[0].runs[0]: no such ask"},
      {R"("runs":[[0,"h"]])", "rows[0].runs[0]: expected an array of 3 or more, found array"},
      {R"("clock":[1])", "rows[0].clock: expected an array of 4 or more, found array"},
  };
  for (const auto& [row, what] : wrong) EXPECT_EQ(table_problem(with_row(row)), "record instructions.json: " + what);
  EXPECT_THAT(table_problem(R"({"schema":{"major":2,"minor":0,"patch":0}})"), HasSubstr("'provenance' is missing"));
}

TEST(InstructionJson, SurvivesTruncatedAndDamagedText) {
  const std::string whole = to_json(testing::example_instructions());
  for (std::size_t length = 0; length + 2 < whole.size(); length += 97) {
    EXPECT_FALSE(read_instruction_table(whole.substr(0, length))) << length;
  }
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    const auto read = read_instruction_table(damaged);
    if (!read) {
      EXPECT_FALSE(read.error().text.empty());
    }
  }
}

/// Every value of the text replaced by one of another type.
void mutate(const Json& root, Json& at, int& refused) {
  const Json kept = at;
  for (const Json& other : {Json(nullptr), Json(7), Json(-1), Json("x"), Json::array(), Json::object(),
                            Json::array({Json::array({1e308})}), Json(18446744073709551615u)}) {
    at = other;
    refused += !read_instruction_table(root.dump());
  }
  at = kept;
  if (!at.is_structured()) return;
  // The first of many elements stands for them all.
  const std::size_t most = at.is_array() ? std::min<std::size_t>(at.size(), 3) : at.size();
  auto child = at.begin();
  for (std::size_t i = 0; i < most; ++i, ++child) mutate(root, *child, refused);
}

TEST(InstructionJson, SurvivesEveryValueOfAnotherType) {
  InstructionTable table = testing::example_instructions();
  table.rows = {table.rows[2], table.rows[5]};
  for (InstructionRecord& row : table.rows) row.runs.resize(1);
  Json json = Json::parse(to_json(table));
  int refused = 0;
  mutate(json, json, refused);
  EXPECT_GT(refused, 500);
  EXPECT_TRUE(read_instruction_table(json.dump()));
}

TEST(InstructionJson, StaysSmall) { EXPECT_LT(to_json(testing::many_instructions(1000)).size(), 3u << 19); }

}  // namespace
}  // namespace warpclock
