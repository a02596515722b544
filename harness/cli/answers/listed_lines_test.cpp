#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "ptx/testing/testdata.hpp"

// Lines of listings (testdata/listings): one of each form, and before it in how many draws that form came. How they
// were drawn is in docs/instructions.md.

namespace warpclock {
namespace {

using Json = nlohmann::ordered_json;

struct Listed {
  int draws = 0;
  std::string text;
};

std::vector<Listed> listed(const std::string& name) {
  std::vector<Listed> all;
  for (const std::string& line : lines(read_committed("harness/cli/testdata/listings/" + name + ".txt"))) {
    if (line.starts_with('#')) continue;
    const std::size_t blank = line.find(' ');
    all.push_back({whole_number<int>(line.substr(0, blank)).value(), line.substr(blank + 1)});
  }
  return all;
}

enum class Answered { Number, ByNature, OtherArchitecture, Missing };

Answered answered(const Json& answer) {
  const std::string reason = answer.value("/reason/code"_json_pointer, "");
  if (answer.contains("error")) return Answered::Missing;
  if (answer.value("answer", "").starts_with("no number") || reason == "no-instruction") return Answered::ByNature;
  if (reason == "unsupported-arch") return Answered::OtherArchitecture;
  if (answer.contains("rows")) return answer.at("rows").empty() ? Answered::Missing : Answered::Number;
  if (answer.contains("recorded")) return answer.at("estimates").empty() ? Answered::Missing : Answered::Number;
  if (!answer.contains("row")) return Answered::Missing;
  const Json estimates = answer.at("row").value("estimates", Json::array());
  const bool number = std::ranges::any_of(estimates, [](const Json& one) {
    const auto name = one.at("name").get<std::string>();
    return name.starts_with("latency.") || name == "interval";
  });
  return number ? Answered::Number : Answered::Missing;
}

/// Why a part of a line has no answer.
std::string why_missing(const Json& answer) {
  if (answer.contains("error")) return answer.at("error").at("text");
  return answer.value("/reason/code"_json_pointer, answer.value("answer", "?"));
}

struct Count {
  int forms = 0, draws = 0;
};

struct Counts {
  std::map<Answered, Count> by;
  std::string missing;  ///< the lines without an answer, each with the reason below it
};

/// Asks for all lines of a file at once. A line with several instructions needs an answer to each.
Counts ask(const std::string& name, const std::string& gpu) {
  const std::vector<Listed> all = listed(name);
  std::string input;
  for (const Listed& one : all) input += one.text + "\n";
  const auto ran = run_process({WARPCLOCK_PROGRAM, "cycles", "-", "--json", "--no-throughput", "--gpu", gpu,
                                "--reports", WARPCLOCK_SOURCE_DIR "/reports"},
                               {.input = input, .timeout = std::chrono::minutes(9)})
                       .value();
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  std::vector<Answered> whole(all.size(), Answered::ByNature);
  std::vector<std::string> why(all.size());
  std::vector<int> answers(all.size());
  for (const Json& answer : json_of(ran.out)) {
    const auto index = answer.at("line").get<std::size_t>() - 1;
    const Answered one = answered(answer);
    ++answers[index];
    if (one == Answered::Missing && why[index].empty()) why[index] = why_missing(answer);
    const bool decided = whole[index] == Answered::Missing || whole[index] == Answered::OtherArchitecture;
    if (!decided && one != Answered::ByNature) whole[index] = one;
    if (one == Answered::Missing) whole[index] = one;
  }
  Counts counts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_GT(answers[i], 0) << all[i].text;
    Count& count = counts.by[whole[i]];
    ++count.forms;
    count.draws += all[i].draws;
    if (whole[i] == Answered::Missing) counts.missing += all[i].text + "\n  " + why[i] + "\n";
  }
  return counts;
}

/// In percent, of the lines of this architecture.
double share(const Counts& counts, int Count::*what) {
  double answered = 0, all = 0;
  for (const auto& [kind, count] : counts.by) {
    if (kind == Answered::OtherArchitecture) continue;
    all += count.*what;
    if (kind != Answered::Missing) answered += count.*what;
  }
  return 100 * answered / all;
}

void compare_missing(const std::string& name, const Counts& counts) {
  const std::string path = "harness/cli/testdata/listings/" + name + "_missing.txt";
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr)
    std::ofstream(fmt::format("{}/{}", WARPCLOCK_SOURCE_DIR, path)) << counts.missing;
  EXPECT_EQ(read_committed(path), counts.missing);
}

class ListedLines : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Gpus, ListedLines, ::testing::Values("h100", "h200"),
                         [](const auto& gpu) { return gpu.param; });

TEST_P(ListedLines, OfMachineCodeAreAnsweredByTheRecords) {
  const Counts counts = ask("sass", GetParam());
  EXPECT_GE(share(counts, &Count::draws), 99) << counts.missing;
  EXPECT_GE(share(counts, &Count::forms), 96.5) << counts.missing;
  EXPECT_LE(counts.by.at(Answered::ByNature).forms, 20) << "most lines are instructions with a number";
  compare_missing("sass", counts);
}

TEST_P(ListedLines, OfPtxAreAnsweredByTheRecords) {
  const Counts counts = ask("ptx", GetParam());
  EXPECT_GE(share(counts, &Count::draws), 99) << counts.missing;
  EXPECT_GE(share(counts, &Count::forms), 92.5) << counts.missing;
  EXPECT_LE(counts.by.at(Answered::ByNature).forms, 50) << "most lines are instructions with a number";
  compare_missing("ptx", counts);
}

/// Text answers to typical lines, without their numbers, which are those of the committed records.
TEST(ListedLine, HasAnAnswerThatSaysWhatItIsOf) {
  const std::string path = "harness/cli/testdata/listings/answers.txt";
  std::string input, before;
  for (const std::string& line : lines(read_committed(path)))
    if (line.starts_with("> ")) input += line.substr(2) + "\n";
  const auto ran = run_process({WARPCLOCK_PROGRAM, "cycles", "-", "--no-throughput", "--gpu", "h200", "--reports",
                                WARPCLOCK_SOURCE_DIR "/reports"},
                               {.input = input})
                       .value();
  std::string answers;
  for (const std::string& line : lines(input)) answers += "> " + line + "\n";
  const std::regex curve("^ *[0-9]+ warps .*$"), number("([ \\[])[0-9]+\\.[0-9]+"), date("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
      commit("commit [0-9a-f]{8}"), pairs("[0-9]+ pairs? of rows differs?"), folder("[^ ]*/reports/");
  for (std::string line : lines(ran.out)) {
    if (std::regex_match(line, curve)) continue;
    line = std::regex_replace(line, date, "DATE");
    line = std::regex_replace(line, commit, "commit COMMIT");
    line = std::regex_replace(line, pairs, "N pairs of rows differ");
    line = std::regex_replace(line, folder, "reports/");
    answers += std::regex_replace(line, number, "$1N") + "\n";
  }
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr)
    std::ofstream(fmt::format("{}/{}", WARPCLOCK_SOURCE_DIR, path)) << answers;
  EXPECT_EQ(read_committed(path), answers);
}

}  // namespace
}  // namespace warpclock
