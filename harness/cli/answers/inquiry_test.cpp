#include "cli/answers/inquiry.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"

namespace warpclock {
namespace {

nlohmann::ordered_json answers_to_lines(const std::string& lines, const std::vector<std::string>& how) {
  std::vector<std::string> arguments = {WARPCLOCK_PROGRAM, "cycles", "-", "--json"};
  arguments.insert(arguments.end(), how.begin(), how.end());
  const auto ran = run_process(arguments, {.input = lines}).value();
  return json_of(ran.out);
}

/// The lines of PTX that articles about GPU kernels print. Each has a number, except what is no machine instruction.
TEST(Inquiry, EveryLineOfAListingHasANumber) {
  std::ostringstream text;
  text << std::ifstream(WARPCLOCK_SOURCE_DIR "/harness/cli/testdata/listing.txt").rdbuf();
  const auto answers = answers_to_lines(text.str(), {"--gpu", "h200", "--reports", WARPCLOCK_SOURCE_DIR "/reports"});
  std::map<int, bool> numbered;
  for (const auto& answer : answers) {
    const bool none = answer.value("answer", "").starts_with("no number: ");
    numbered[answer.at("line")] |=
        answer.contains("recorded") || answer.contains("row") || answer.contains("rows") || none;
  }
  int number = 0;
  for (const std::string& line : lines(text.str())) {
    ++number;
    if (!line.empty() && !line.starts_with('#')) {
      EXPECT_TRUE(numbered[number]) << line;
    }
  }
  EXPECT_GT(numbered.size(), 45U);
}

TEST(Inquiry, MachineCodeDecidesWhichRowAnswers) {
  const auto answers = answers_to_lines(
      "mul.wide.s32 %rd5, %r1, 4;\nmul.lo.s32 %r1, %r2, 8;\nshfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;\n"
      "mov.u32 %r1, %tid.x;\nor.pred %p3, %p1, %p2;\n",
      {"--gpu", "h200", "--reports", WARPCLOCK_SOURCE_DIR "/reports"});
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0].at("forms").at(0), "@PT IMAD.WIDE R#, R#, #, RZ") << "the row of its form";
  EXPECT_THAT(answers[0].at("recorded").at("made_of").get<std::string>(), HasSubstr("nvidia-h200/machine.json"));
  EXPECT_EQ(answers[1].at("forms").at(0), "@PT IMAD.SHL.U32 R#, R#, #, RZ") << "a multiplication by 8 is none";
  EXPECT_EQ(answers[2].at("recorded").at("row"), "warp/shfl.sync.down.b32[d|p]");
  EXPECT_EQ(answers[3].at("rows").at(0).at("id"), "@PT S2R R#, SR_TID.X");
  EXPECT_THAT(answers[4].at("rows").at(0).at("id").get<std::string>(), StartsWith("@PT PLOP3.LUT "));
}

/// The groups of opcodes.yaml, compiled: one spelling has the machine code of the other.
TEST(Inquiry, TypesThatAreAlikeMakeTheSameMachineCode) {
  const OpcodeTable table = opcode_table().value();
  std::string asked;
  std::vector<std::string> groups;
  const auto add = [&](const OpcodeRow& row, const std::string& before, const std::string& after) {
    for (const std::string& alike : row.alike) {
      for (const std::string& type : split(alike, '|')) {
        asked += before + type + after + "\n";
        groups.push_back(before + alike);
      }
    }
  };
  const auto in_spaces = [&](const std::string& opcode, const std::vector<std::string>& spaces, const char* operands) {
    for (const OpcodeRow& row : table.rows.at(opcode)) {
      for (const std::string& space : spaces)
        if (row.without.empty() != space.empty()) add(row, opcode + space + ".", operands);
    }
  };
  in_spaces("ld", {"", ".global", ".shared", ".local", ".const"}, " {d}, [{a}]");
  in_spaces("st", {"", ".global", ".shared", ".local"}, " [{a}], {b}");
  add(table.rows.at("ldu").front(), "ldu.global.", " {d}, [{a}]");
  add(table.rows.at("mov").front(), "mov.", " {d}, {a}");
  const auto answers = answers_to_lines(asked, {"--arch", "sm_90a", "--no-throughput"});
  ASSERT_EQ(answers.size(), groups.size());
  std::map<std::string, nlohmann::ordered_json> became;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [first, added] = became.emplace(groups[i], answers[i].at("became"));
    EXPECT_EQ(first->second, answers[i].at("became")) << answers[i].at("asked");
  }
}

}  // namespace
}  // namespace warpclock
