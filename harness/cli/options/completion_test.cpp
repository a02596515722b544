#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

using ::testing::IsSupersetOf;

/// What bash offers for the last of these words.
std::vector<std::string> offered(const std::string& words) {
  const std::string script = fmt::format(
      "export PATH=\"$(dirname '{0}'):$PATH\"; cd '{1}'; source <('{0}' completion bash); COMP_WORDS=({2}); "
      "COMP_CWORD=$(({3} - 1)); _warpclock; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
      WARPCLOCK_PROGRAM, WARPCLOCK_SOURCE_DIR, words, split(words, ' ').size());
  const auto ran = run_process({"bash", "-c", script}).value();
  EXPECT_EQ(ran.err, "") << words;
  std::vector<std::string> found = lines(ran.out);
  std::erase(found, "");
  return found;
}

TEST(Completion, OffersCommandsAndOptions) {
  EXPECT_THAT(offered("warpclock cy"), ElementsAre("cycles"));
  EXPECT_THAT(offered("warpclock ''"), IsSupersetOf({"run", "inspect", "--help"}));
  EXPECT_THAT(offered("warpclock ''"), Not(Contains("worker")));
  EXPECT_THAT(offered("warpclock cycles --no"), IsSupersetOf({"--no-gpu", "--no-throughput"}));
  EXPECT_THAT(offered("warpclock verify --qu"), IsSupersetOf({"--quick", "--quiet"}));
}

TEST(Completion, OffersValuesInTheirPlaces) {
  EXPECT_THAT(offered("warpclock run --suite ''"),
              ElementsAre("smoke", "full", "memory", "quick", "kernels", "energy", "all"));
  EXPECT_THAT(offered("warpclock list --suite quick,ke"), ElementsAre("quick,kernels"));
  EXPECT_THAT(offered("warpclock cycles --arch sm_90"), ElementsAre("sm_90", "sm_90a"));
  EXPECT_THAT(offered("warpclock verify --arch sm_80,sm_100a"), ElementsAre("sm_80,sm_100a"));
  EXPECT_THAT(offered("warpclock export c"), ElementsAre("csv", "c++"));
  EXPECT_THAT(offered("warpclock completion ''"), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered("warpclock schema m"), ElementsAre("model"));
  EXPECT_THAT(offered("warpclock cycles --gpu nvidia-h2"), ElementsAre("nvidia-h200"));
  EXPECT_THAT(offered("warpclock run --out har"), ElementsAre("harness"));
  EXPECT_THAT(offered("warpclock compare READ"), ElementsAre("README.md"));
  EXPECT_THAT(offered("warpclock cycles --operand ''"), IsEmpty());
}

TEST(Completion, OffersProbesAndInstructionsOfAllSuites) {
  EXPECT_THAT(offered("warpclock run wgmma/lat"), ElementsAre("wgmma/latency", "wgmma/latency_sparse"));
  EXPECT_THAT(offered("warpclock verify policy/pi"), ElementsAre("policy/pinned"));
  EXPECT_THAT(offered("warpclock show policy/pi"), ElementsAre("policy/pinned"));
  EXPECT_THAT(offered("warpclock ask __syncthreads_"), IsSupersetOf({"__syncthreads_count", "__syncthreads_or"}));
  EXPECT_THAT(offered("warpclock catalogue fp32/fma.rn.f32"), Contains("fp32/fma.rn.f32"));
}

TEST(Completion, OfFishHasTheSameValues) {
  const auto ran = run_process({WARPCLOCK_PROGRAM, "completion", "fish"}).value();
  const std::vector<std::string> all = lines(ran.out);
  EXPECT_THAT(all, Contains(StartsWith("complete -c warpclock -n '__fish_seen_subcommand_from run' -l suite -x -a "
                                       "'smoke full memory quick kernels energy all'")));
  EXPECT_THAT(all, Contains(StartsWith("complete -c warpclock -n '__fish_seen_subcommand_from completion' -x -a "
                                       "'bash zsh fish'")));
}

/// Each command and its --help.
std::vector<std::pair<std::string, std::string>> helps() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& command : offered("warpclock ''")) {
    if (!command.starts_with('-')) all.emplace_back(command, run_process({WARPCLOCK_PROGRAM, command, "--help"})->out);
  }
  return all;
}

TEST(Help, HasExamplesOfEveryCommandWithOptionsThatItHas) {
  const auto all = helps();
  EXPECT_EQ(all.size(), 24U);
  for (const auto& [command, help] : all) {
    std::size_t examples = 0;
    for (const std::string& line : lines(help)) {
      if (!line.starts_with("  ") || !line.contains("warpclock " + command)) continue;
      ++examples;
      // What is before the program is a launcher with options of its own.
      for (const std::string& word : split(line.substr(line.find("warpclock " + command)), ' ')) {
        if (word == "--") break;  // the words of another program follow
        if (!word.starts_with("--")) continue;
        EXPECT_TRUE(help.contains("  " + word) || help.contains("," + word)) << line;
      }
    }
    EXPECT_GE(examples, 1U) << command;
  }
}

TEST(Schema, OfEachWordThatCompletionOffersHasItsTitle) {
  const std::vector<std::string> words = offered("warpclock schema ''");
  EXPECT_EQ(words.size(), 8U);
  for (const std::string& word : words) {
    const std::string schema = run_process({WARPCLOCK_PROGRAM, "schema", word})->out;
    const std::map<std::string, std::string> nouns{
        {"inspect", "inspection"}, {"execute", "execution"}, {"predict", "prediction"}, {"advise", "advice"}};
    const auto noun = nouns.find(word);
    const std::string title = noun == nouns.end() ? word : noun->second;
    EXPECT_EQ(json_of(schema)["title"], "warpclock " + title);
  }
}

}  // namespace
}  // namespace warpclock
