#include <gtest/gtest.h>

#include <vector>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

using Json = nlohmann::ordered_json;

ProcessResult cycles(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "cycles"});
  return run_process(arguments, {.input = input}).value();
}

/// `name` of "  name  text" lines, and the text.
std::string row_of(const std::string& out, const std::string& name) {
  for (const std::string& line : lines(out))
    if (line.starts_with("  " + name + " ")) return std::string(trim(std::string_view(line).substr(name.size() + 2)));
  return "none";
}

struct Line {
  std::string ptx, title, latency;
};

TEST(CyclesAnswer, BeginsWithTheNumberAndThenSaysWhatItRestsOn) {
  const std::vector<Line> asked = {
      {"and.b32 %r1, %r2, %r3;", "and.b32 %r1, %r2, %r3: 4 cycles (sm_90a, encoded)", "4 cycles, encoded, composed"},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {d}, [{a}]",
       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {d}, [{a}]: variable latency (sm_90a, nothing was run)",
       "variable, by scoreboard"},
      {"setp.lt.s32 {p}, {a}, {b}", "setp.lt.s32 {p}, {a}, {b}: 4 cycles (sm_90a, encoded)",
       "4 cycles, encoded 8, linked by SEL: 4 cycles subtracted, composed"},
      {"st.global.f32 [%rd1], %f1;", "st.global.f32 [%rd1], %f1: no latency (sm_90a, nothing was run)", "none"},
  };
  for (const Line& line : asked) {
    const auto ran = cycles({"--arch", "sm_90a", line.ptx});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, StartsWith(line.title + "\n"));
    EXPECT_EQ(row_of(ran.out, "latency.a"), line.latency) << ran.out;
  }
}

TEST(CyclesAnswer, SaysWhyAnOperandHasNoLatency) {
  const auto ran = cycles({"--arch", "sm_90a", "atom.global.add.u32 %r1, [%rd1], %r2;", "st.global.f32 [%rd1], %f1;"});
  EXPECT_EQ(row_of(ran.out, "latency.a"), "not measured: only loads are chained through an address");
  EXPECT_EQ(row_of(ran.out, "latency"), "none: it has no result register");
  for (const char* line : {"mov.u32 %r1, %laneid;", "elect.sync %r1|%p1, -1;"})
    EXPECT_EQ(row_of(cycles({"--arch", "sm_90a", line}).out, "latency"),
              "none: it reads no register that another copy could write");
}

TEST(CyclesAnswer, TextAndJsonSayTheSame) {
  const std::vector<std::string> lines = {"--arch", "sm_90a", "setp.lt.s32 {p}, {a}, {b}",
                                          "shfl.sync.bfly.b32 %r1, %r2, 1, 31, %r4;"};
  std::vector<std::string> for_programs = lines;
  for_programs.emplace_back("--json");
  const std::string text = cycles(lines).out;
  const Json json = json_of(cycles(for_programs).out);
  ASSERT_EQ(json.size(), 2U);
  for (const Json& one : json) {
    std::string asked = one.at("asked");
    if (asked.ends_with(';')) asked.pop_back();
    EXPECT_THAT(text, HasSubstr(asked + ": " + one.at("answer").get<std::string>() + " (" +
                                one.at("by").get<std::string>() + ")\n"));
    EXPECT_THAT(text, HasSubstr(one.at("became").at(0).get<std::string>()));
    EXPECT_EQ(one.at("outcome"), "verified");
  }
  EXPECT_EQ(json[0].at("runs").at(0).at("encoded_cycles"), 4.0) << "without what links the copies";
  EXPECT_EQ(json[1].at("constants").at(0).at("constant"), "0xffffffff");
  EXPECT_THAT(text, HasSubstr("%r4 became the constant 0xffffffff"));
}

const std::string batch =
    "fma.rn.f32 %f1, %f2, %f3, %f4;\n"
    "# a comment\n"
    "\n"
    "  foo.s32 %r1;\n"
    "// another\n"
    "ldmatrix.x4\n"
    "add.s32 %r1, \x1b[31m%r2;\n";

const std::vector<std::string> of_h200 = {"-", "--gpu", "h200", "--reports", testing::cut_reports};

TEST(CyclesBatch, EachLineHasOneResultInItsPlace) {
  const auto ran = cycles(of_h200, batch);
  EXPECT_EQ(ran.exit_code, 1);
  std::vector<std::string> titles;
  for (const std::string& line : lines(ran.out))
    if (!line.empty() && !line.starts_with(' ')) titles.push_back(line);
  EXPECT_THAT(titles,
              ElementsAre("fma.rn.f32 %f1, %f2, %f3, %f4: 4.0 cycles (H200, measured 2026-11-23)",
                          "foo.s32 %r1: refused (4:3: unknown opcode 'foo')",
                          "ldmatrix.x4: 29.0 cycles (H200, measured 2026-11-23)",
                          "add.s32 %r1, \\x1b[31m%r2: refused (7:14: expected an operand, found the byte 0x1b)"));
}

TEST(CyclesBatch, JsonHasAnObjectForEachLine) {
  std::vector<std::string> arguments = of_h200;
  arguments.emplace_back("--json");
  const auto ran = cycles(arguments, batch);
  EXPECT_EQ(ran.exit_code, 1);
  const Json json = json_of(ran.out);
  ASSERT_EQ(json.size(), 4U);
  const std::vector<int> numbers = {1, 4, 6, 7};
  const std::vector<std::string> input = lines(batch);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(json[i].at("line"), numbers[i]);
    EXPECT_EQ(json[i].at("asked"), input[static_cast<std::size_t>(numbers[i]) - 1]) << "results are joined to input";
  }
  EXPECT_EQ(json[0].at("answer"), "4.0 cycles");
  EXPECT_EQ(json[1].at("outcome"), "refused");
  EXPECT_EQ(json[1].at("error").at("place"), "4:3");
  EXPECT_EQ(json[1].at("error").at("code"), "ptx-opcode");
}

TEST(CyclesBatch, ErrorsAreShort) {
  const auto ran = cycles(of_h200, std::string(1000000, 'x') + "\n");
  EXPECT_EQ(ran.exit_code, 2) << "no line was answered";
  EXPECT_LT(ran.out.size() + ran.err.size(), 300U);
  EXPECT_EQ(cycles(of_h200, "# nothing\n\n").exit_code, 2);
  const auto argument = cycles({"--arch", "sm_90a", "\x1b[31mfoo" + std::string(5000, 'o')});
  EXPECT_LT(argument.err.size(), 300U);
  EXPECT_THAT(argument.err, Not(HasSubstr("\x1b")));
}

struct Status {
  std::vector<std::string> arguments;
  int exit_code;
};

TEST(CyclesStatus, IsZeroIfAllIsVerifiedAndTwoIfNothingIsAnswered) {
  const std::string add = "add.s32 {d}, {a}, {b}", unknown = "foo.s32 {d}";
  const std::vector<Status> all = {
      {{"--arch", "sm_90a", add}, 0},
      {{"--arch", "sm_90a", unknown}, 2},
      {{"--arch", "sm_90a", add, unknown}, 1},
      {{"--arch", "sm_90a", "fns.b32 {d}, {a}, {b}, {c}"}, 1},
      {{"--arch", "sm_90a", "min.f32 {d}, {a}, {b}, {c}"}, 1},
      {{"--arch", "sm_90a,sm_100a", "min.f32 {d}, {a}, {b}, {c}"}, 0},
      {{"--arch", "sm_99", add}, 2},
      {{}, 2},
  };
  for (const Status& one : all) {
    const auto ran = cycles(one.arguments);
    EXPECT_EQ(ran.exit_code, one.exit_code) << ran.out << ran.err;
  }
}

}  // namespace
}  // namespace warpclock
