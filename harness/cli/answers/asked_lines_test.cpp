#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "ptx/testing/testdata.hpp"

namespace warpclock {
namespace {

/// The answers of each line of a batch, one for each of its instructions: the number, with the reason if there is none,
/// or why the line is refused.
std::map<std::string, std::string> answers_to(const std::string& batch) {
  const auto ran =
      run_process({WARPCLOCK_PROGRAM, "cycles", "-", "--arch", "sm_90a", "--json"}, {.input = batch}).value();
  EXPECT_EQ(ran.exit_code, 1) << "some are refused" << ran.err;
  const std::vector<std::string> asked = lines(batch);
  std::map<std::string, std::string> answers;
  for (const auto& one : json_of(ran.out)) {
    std::string text = one.contains("error") ? "refused: " + one.at("error").at("text").get<std::string>()
                                             : one.at("answer").get<std::string>();
    if (one.contains("reason")) text += ": " + one.at("reason").at("text").get<std::string>();
    std::string& all = answers[asked.at(one.at("line").get<std::size_t>() - 1)];
    all += (all.empty() ? "" : "; ") + text;
  }
  return answers;
}

TEST(AskedLines, HaveTheirAnswers) {
  const char* file = "harness/cli/testdata/asked.txt";
  std::string batch;
  for (const std::string& line : lines(read_committed(file)))
    if (!line.starts_with('#') && !line.starts_with(' ')) batch += line + "\n";
  const auto answers = answers_to(batch);
  const auto entries = testdata(file, [&](const std::string& line) { return answers.at(line); });
  EXPECT_GT(entries.size(), 50U);
  for (const auto& [line, expected] : entries) EXPECT_EQ(answers.at(line), expected) << line;
}

TEST(AskedLines, OfTheSameOperandsAreComposedApart) {
  const auto ran = run_process({WARPCLOCK_PROGRAM, "cycles", "--arch", "sm_90a", "--no-throughput",
                                "add.s32 {d}, {a}, {b}", "xor.b32 {d}, {a}, {b}", "add.s32 {d}, {a}, {b}"})
                       .value();
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("xor.b32 {d}, {a}, {b}: 4 cycles (sm_90a, encoded)"));
}

TEST(AskedLines, OfAFileAreShownAndNotItsName) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "step.ptx", "add.s32 %r1, %r2, %r3;\nnowhere.f32 %f1, %f2;\n");
  const auto ran =
      run_process({WARPCLOCK_PROGRAM, "cycles", "--arch", "sm_90a", "--ptx-file", folder / "step.ptx"}).value();
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, StartsWith("warpclock: " + (folder / "step.ptx") + ":2:"));
  EXPECT_THAT(ran.err, EndsWith("\n  nowhere.f32 %f1, %f2;\n"));
}

TEST(AskedLines, WithoutAnEndAreAnError) {
  const auto ran = run_process({"sh", "-c", "exec \"$0\" cycles - < /dev/zero", WARPCLOCK_PROGRAM}).value();
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("standard input: the file has more than 256 MiB"));
}

}  // namespace
}  // namespace warpclock
