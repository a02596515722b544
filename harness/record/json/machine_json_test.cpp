#include "record/json/machine_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/text.hpp"
#include "record/json/instruction_json.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/machine.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;

std::string machine_problem(const std::string& text) {
  const auto table = read_machine_table(text);
  return table ? "read" : table.error().code + " " + table.error().message();
}

/// A table with one row of the given members.
std::string with_machine_row(const std::string& members) {
  return R"({"schema":{"major":1,"minor":0,"patch":0},
    "provenance":{"commit":"c","dirty":false,"version":"0.1.0","date":"d"},
    "device":{"name":"n","slug":"s","arch":"sm_90a"},"texts":["one"],"reasons":[["code","why",""]],
    "kinds":[["latency","cycles","slope",9]],"machine":[[1,1,0,16,32],[1,1]],"rows":[{)" +
         members + "}]}";
}

const std::string least_row = R"("key":"@PT FADD #, #, #","word":"000fe200000000000000000908047221")";

class RandomTable {
 public:
  explicit RandomTable(unsigned seed) : random_(seed) {}

  MachineTable table() {
    MachineTable out;
    out.provenance.commit = text();
    out.device.name = text();
    for (int i = below(6); i > 0; --i) out.rows.push_back(row());
    return out;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool coin() { return below(2) == 0; }
  std::string text() {
    const std::vector<std::string> texts = {"", "R5", "[R4.64]", "caf\xC3\xA9", "\"\\\n\x01", "</script>", "0"};
    return texts[static_cast<std::size_t>(below(static_cast<int>(texts.size())))];
  }
  double number() {
    const std::vector<double> numbers = {0, -0.5, 4, 6.0512, 1e300, 123456.7, 1.0 / 3};
    return numbers[static_cast<std::size_t>(below(static_cast<int>(numbers.size())))];
  }
  std::optional<Estimate> estimate() {
    if (coin()) return std::nullopt;
    Estimate e{text(), number(), 0, 0, text(), text(), below(9), coin() ? text() : ""};
    e.low = coin() ? e.value : number();
    e.high = coin() ? e.value : number();
    return e;
  }
  DependencyLatency latency() {
    DependencyLatency out{.source = below(9) - 1,
                          .operand = text(),
                          .through = text(),
                          .through_cycles = number(),
                          .cycles = estimate(),
                          .least_right = std::nullopt,
                          .wrong = {},
                          .note = text()};
    if (coin()) out.least_right = below(16);
    if (coin()) out.busy_least_right = below(16);
    for (int i = below(4); i > 0; --i) out.wrong.push_back(below(16));
    return out;
  }
  IssueCell cell() {
    IssueCell out{.warps = below(65),
                  .stall = below(16),
                  .yield = coin(),
                  .curve = {},
                  .cycles = coin() ? 0 : number(),
                  .low = 0,
                  .high = 0,
                  .note = coin() ? "" : text()};
    out.low = coin() ? out.cycles : number();
    out.high = coin() ? out.cycles : number();
    for (int i = below(5); i > 0; --i) out.curve.emplace_back(below(300), number());
    return out;
  }
  MachineRow row() {
    MachineRow out{.key = text(),
                   .text = text(),
                   .word = {random_(), random_()},
                   .scoreboard = coin(),
                   .encoded = coin() ? std::optional(below(40)) : std::nullopt,
                   .latencies = {},
                   .cells = {},
                   .interval = estimate(),
                   .reason = std::nullopt};
    for (int i = below(4); i > 0; --i) out.latencies.push_back(latency());
    for (int i = below(4); i > 0; --i) out.cells.push_back(cell());
    if (coin()) out.reason = Error{text(), text(), text()};
    return out;
  }

  std::mt19937_64 random_;
};

TEST(MachineJson, IsTheAcceptedText) { testing::expect_golden("machine.json", to_json(testing::example_machine())); }

TEST(MachineJson, ReadsBackWhatItWroteByteForByte) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const MachineTable table = rounded(RandomTable(seed).table());
    const std::string text = to_json(table);
    const auto again = read_machine_table(text);
    ASSERT_TRUE(again) << again.error().message() << "\n" << text;
    EXPECT_EQ(*again, table) << text;
    EXPECT_EQ(to_json(*again), text);
  }
}

TEST(MachineJson, WhatIsAbsentStaysAbsent) {
  const auto table = read_machine_table(with_machine_row(least_row + R"(,"latencies":[{"from":0}])"));
  ASSERT_TRUE(table) << table.error().message();
  ASSERT_EQ(table->rows.size(), 1u);
  const MachineRow& row = table->rows[0];
  EXPECT_FALSE(row.interval);
  EXPECT_FALSE(row.reason);
  EXPECT_FALSE(row.latencies.at(0).cycles);
  EXPECT_FALSE(row.latencies.at(0).least_right);
  EXPECT_EQ(row.word, (Word{0x0000000908047221, 0x000fe20000000000}));
}

TEST(MachineJson, ARowIsALine) {
  const MachineTable table = testing::example_machine();
  const std::string text = to_json(table);
  EXPECT_EQ(lines(text.substr(text.find("\"rows\":["))).size(), table.rows.size() + 2);
}

TEST(MachineJson, RoundsOnce) {
  MachineTable table = testing::example_machine();
  table.rows[0].interval->value = 2.000000049;
  table.rows[0].cells[0].cycles = 1.0 / 3;
  table.rows[0].cells[0].curve[0].second = 85.33333;
  table.rows[0].cells[1].cycles = std::nan("");
  const MachineTable once = rounded(table);
  EXPECT_EQ(once.rows[0].interval->value, 2);
  EXPECT_EQ(once.rows[0].cells[0].cycles, 0.33333);
  EXPECT_EQ(once.rows[0].cells[0].curve[0].second, 85.33);
  const auto again = read_machine_table(to_json(table));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(to_json(*again), to_json(once));
}

TEST(MachineJson, PassesOverWhatALaterMinorVersionAdds) {
  const std::string row = least_row + R"(,"cells":[[0,[20,40],2,2,2,0]])";
  std::string later = with_machine_row(least_row + R"(,"new":{"a":[1]},"cells":[[0,[20,40],2,2,2,0,7]])");
  later.replace(later.find("\"minor\":0"), 9, "\"minor\":7");
  const auto known = read_machine_table(with_machine_row(row)), newer = read_machine_table(later);
  ASSERT_TRUE(known && newer);
  EXPECT_EQ(*known, *newer);
}

TEST(MachineJson, RefusesFilesOfAnotherKindAndVersion) {
  EXPECT_EQ(machine_problem(to_json(testing::example_instructions())),
            "record-kind machine.json: this is an instruction table (instructions.json); a machine table "
            "(machine.json) is wanted");
  EXPECT_EQ(machine_problem(to_json(testing::example_record())),
            "record-kind machine.json: this is a result (result.json); a machine table (machine.json) is wanted");
  const std::string machine = to_json(testing::example_machine());
  const auto instructions = read_instruction_table(machine);
  const auto result = parse_record(machine);
  ASSERT_FALSE(instructions);
  ASSERT_FALSE(result);
  for (const std::string& text : {instructions.error().text, result.error().text})
    EXPECT_THAT(text, HasSubstr("this is a machine table (machine.json)"));
  EXPECT_EQ(machine_problem(R"({"schema": {"major": 2, "minor": 0, "patch": 0}})"),
            "record-version machine.json: schema 2.0.0 is newer than this program reads (1.x.x); update warpclock");
}

TEST(MachineJson, SaysWhereTheFirstThingIsThatIsWrong) {
  EXPECT_EQ(machine_problem(with_machine_row(least_row)), "read");
  const std::pair<std::string, std::string> wrong[] = {
      {R"("scoreboard":1)", "rows[0].scoreboard: expected true or false, found number"},
      {R"("latencies":[7])", "rows[0].latencies[0]: expected an object, found number"},
      {R"("latencies":[{}])", "rows[0].latencies[0]: the key 'from' is missing"},
      {R"("latencies":[{"from":0,"least":null}])", "rows[0].latencies[0].least: expected an integer, found null"},
      {R"("latencies":[{"from":0,"least":9000000000}])", "rows[0].latencies[0].least: the integer is out of range"},
      {R"("latencies":[{"from":0,"wrong":[1,"2"]}])",
       "rows[0].latencies[0].wrong[1]: expected an integer, found string"},
      {R"("latencies":[{"from":0,"note":1}])", "rows[0].latencies[0].note: no such text"},
      {R"("latencies":[{"from":0,"cycles":[0]}])",
       "rows[0].latencies[0].cycles: expected an array of 2 or more, found array"},
      {R"("latencies":[{"from":0,"cycles":[1,4]}])", "rows[0].latencies[0].cycles: no such kind"},
      {R"("cells":[[0]])", "rows[0].cells[0]: expected an array of 2 or more, found array"},
      {R"("cells":[[2,[1,2]]])", "rows[0].cells[0]: no such place"},
      {R"("cells":[[0,[1]]])", "rows[0].cells[0]: the place has another number of points"},
      {R"("cells":[[1,[1]]])", "rows[0].cells[0]: the place has another number of points"},
      {R"("cells":[[0,[1,"2"]]])", "rows[0].cells[0][1][1]: expected a number, found string"},
      {R"("cells":[[0,[1,2],2,2,2,1]])", "rows[0].cells[0]: no such text"},
      {R"("interval":2)", "rows[0].interval: expected an array of 2 or more, found number"},
      {R"("reason":1)", "rows[0].reason: no such reason"},
  };
  for (const auto& [row, what] : wrong)
    EXPECT_EQ(machine_problem(with_machine_row(least_row + "," + row)), "record machine.json: " + what);
  EXPECT_EQ(machine_problem(with_machine_row(R"("key":"k")")),
            "record machine.json: rows[0]: the key 'word' is missing");
  for (const char* word : {"", "12", "000fe20000000000000000090804722g", "-00fe20000000000+000000908047221"}) {
    EXPECT_EQ(machine_problem(with_machine_row(R"("key":"k","word":")" + std::string(word) + '"')),
              "record machine.json: rows[0].word: 32 hexadecimal digits are wanted");
  }
  EXPECT_THAT(machine_problem(R"({"schema":{"major":1,"minor":0,"patch":0}})"), HasSubstr("'provenance' is missing"));
}

TEST(MachineJson, SurvivesTruncatedAndDamagedText) {
  const std::string whole = to_json(testing::example_machine());
  for (std::size_t length = 0; length + 2 < whole.size(); length += 97)
    EXPECT_FALSE(read_machine_table(whole.substr(0, length))) << length;
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    const auto read = read_machine_table(damaged);
    if (!read) {
      EXPECT_FALSE(read.error().text.empty());
    }
  }
}

/// Every value of the text replaced by one of another type.
void mutate_machine(const Json& root, Json& at, int& refused) {
  const Json kept = at;
  for (const Json& other : {Json(nullptr), Json(7), Json(-1), Json("x"), Json::array(), Json::object(),
                            Json::array({Json::array({1e308})}), Json(18446744073709551615u)}) {
    at = other;
    refused += !read_machine_table(root.dump());
  }
  at = kept;
  if (!at.is_structured()) return;
  // The first of many elements stands for them all.
  const std::size_t most = at.is_array() ? std::min<std::size_t>(at.size(), 3) : at.size();
  auto child = at.begin();
  for (std::size_t i = 0; i < most; ++i, ++child) mutate_machine(root, *child, refused);
}

TEST(MachineJson, SurvivesEveryValueOfAnotherType) {
  Json json = Json::parse(to_json(testing::example_machine()));
  int refused = 0;
  mutate_machine(json, json, refused);
  EXPECT_GT(refused, 500);
  EXPECT_TRUE(read_machine_table(json.dump()));
}

TEST(MachineJson, StaysSmall) { EXPECT_LT(to_json(testing::many_machine(1500)).size(), 800'000u); }

}  // namespace
}  // namespace warpclock
