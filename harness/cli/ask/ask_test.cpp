#include "cli/ask/ask.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/json/json_writer.hpp"
#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "cli/report_folder.hpp"

namespace warpclock {
namespace {

const Library& library() {
  static const Library all(chosen_reports({"", WARPCLOCK_SOURCE_DIR "/reports"}).value());
  return all;
}

const SearchWords& known() { return known_search_words().value(); }

Finding answer_to(const std::string& text) { return find_answer(text, library(), known()); }

/// Where the number is that answers a question, as questions.yaml has it.
struct Wanted {
  std::string row, of, probe, feature, highest, none;
  std::map<std::string, Value> with;
  std::vector<std::string> says;
};

struct AskedQuestion {
  std::string text;
  std::vector<Wanted> is;
};

void describe(YamlArchive& a, Wanted& v) { WARPCLOCK_OPTIONAL(row, of, probe, feature, with, highest, says, none); }

void describe(YamlArchive& a, AskedQuestion& v) {
  a.required("ask", v.text);
  a.required("is", v.is, yaml::one_or_list());
}

struct AskedQuestions {
  std::map<std::string, std::vector<AskedQuestion>> lists;
};

void describe(YamlArchive& a, AskedQuestions& v) {
  for (const char* list : {"questions", "searches", "fresh"}) a.required(list, v.lists[list]);
}

std::vector<AskedQuestion> questions(const char* list) {
  std::ifstream file(WARPCLOCK_SOURCE_DIR "/harness/cli/testdata/questions.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return must(read_yaml<AskedQuestions>("questions.yaml", text)).lists.at(list);
}

/// The values that the records of a GPU have of a row's estimate, or of a feature: one in each suite.
std::vector<double> recorded(const ReportedGpu& gpu, const Wanted& one) {
  std::vector<double> values;
  const auto add = [&](const std::vector<Estimate>& estimates, const std::string& name) {
    if (const Estimate* found = find_by(estimates, name, &Estimate::name)) values.push_back(found->value);
  };
  for (const auto& [suite, record] : gpu.results) {
    std::optional<double> highest;
    for (const Row& row : record->rows) {
      if (row.id == one.row) add(row.estimates, one.of);
      if (row.probe != one.probe || row.outcome != Outcome::Measured) continue;
      if (const Estimate* rate = find_by(row.estimates, one.highest, &Estimate::name))
        highest = std::max(highest.value_or(0), rate->value);
    }
    if (highest) values.push_back(*highest);
    for (const Feature& feature : record->features) {
      const bool fits = std::ranges::all_of(one.with, [&](const auto& rule) {
        const Value* value = find(feature.parameters, rule.first);
        return value != nullptr && *value == rule.second;
      });
      if (feature.probe == one.probe && feature.name == one.feature && fits) values.push_back(feature.value);
    }
  }
  if (const auto* row = find_by(gpu.table->rows, one.row, &Row::id)) add(row->estimates, one.of);
  if (const Row* row = find_by(gpu.machine->rows, one.row, &Row::id)) add(row->estimates, one.of);
  for (const auto& [suite, table] : gpu.kernels)
    if (const Row* row = find_by(table->rows, one.row, &Row::id)) add(row->estimates, "cycles");
  return values;
}

bool says(const AskedNumber& number, const Wanted& one, const std::vector<double>& values) {
  const bool named =
      one.row.empty() ? one.feature.empty() || number.of == one.feature : number.row == one.row && number.of == one.of;
  return named && number.number && std::ranges::any_of(values, [&](double value) {
           return std::abs(value - *number.number) <= (one.highest.empty() ? 1e-9 : 0.01) * std::abs(value);
         });
}

/// Why the first result does not answer the question; empty if it does.
std::string wrong(const AskedQuestion& question) {
  const Finding finding = answer_to(question.text);
  if (!finding.answered) return "no answer";
  const Hit& first = finding.hits.front();
  for (const Wanted& one : question.is) {
    if (!one.none.empty()) {
      if (first.has_numbers()) return "a number, " + first.command;
      if (!(first.absent + first.command).contains(one.none)) return "says " + first.absent + first.command;
      continue;
    }
    for (std::size_t gpu = 0; gpu < first.on.size(); ++gpu) {
      const std::vector<double> values = recorded(library().book().gpus()[gpu], one);
      const bool found = std::ranges::any_of(first.on[gpu], [&](const AskedNumber& number) {
        return one.says.empty() ? says(number, one, values) : number.value == one.says.at(gpu);
      });
      if (found) continue;
      std::string got;
      for (const AskedNumber& number : first.on[gpu])
        got += fmt::format("{} of {} = {}; ", number.row, number.of, number.value);
      return fmt::format("GPU {} has {}", gpu, got);
    }
  }
  return {};
}

/// How many of a list are answered by the first result.
std::size_t answered(const char* list) {
  std::size_t right = 0;
  const auto all = questions(list);
  for (const AskedQuestion& question : all) {
    const std::string why = wrong(question);
    if (why.empty()) ++right;
    if (!why.empty()) std::printf("  %s: %s\n", question.text.c_str(), why.c_str());
  }
  std::printf("%s: %zu of %zu\n", list, right, all.size());
  return right;
}

TEST(Ask, AnswersTheQuestionsOfAKernelEngineer) {
  EXPECT_EQ(questions("questions").size(), 60U);
  EXPECT_GE(answered("questions"), 57U);
}

TEST(Ask, AnswersWhatPeopleTypeIntoASearchBox) {
  EXPECT_EQ(questions("searches").size(), 68U);
  EXPECT_GE(answered("searches"), 65U);
}

TEST(Ask, AnswersQuestionsThatWereWrittenBeforeItsWords) {
  EXPECT_EQ(questions("fresh").size(), 30U);
  EXPECT_GE(answered("fresh"), 27U);
}

/// Energy has been measured on an H200 alone.
bool is_of_energy(const Topic& topic) {
  return std::ranges::any_of(topic.says, [](const Answer& one) { return one.from.probe.starts_with("energy/"); });
}

/// Each topic by its first words: its own numbers, on both GPUs, with their evidence and a command.
TEST(Ask, EachTopicHasNumbersOrSaysWhyNot) {
  for (const Topic& topic : known().topics) {
    SearchWords alone = known();
    alone.topics = {topic};
    for (const std::string& words : topic.words) {
      const auto hits = topic_hits(asked_words(words, alone), library().book(), alone);
      ASSERT_EQ(hits.size(), 1U) << words;
      EXPECT_TRUE(!hits[0].command.empty() || hits[0].on[0].at(0).row.empty()) << words << ": a row, and no command";
      if (!topic.absent.empty()) continue;
      for (const auto& numbers : hits[0].on) {
        if (numbers.empty() && is_of_energy(topic)) continue;
        ASSERT_FALSE(numbers.empty()) << words;
        for (const AskedNumber& number : numbers) {
          EXPECT_NE(number.value, "") << words;
          EXPECT_THAT(number.label, Not(HasSubstr("{"))) << words;
        }
      }
    }
  }
}

TEST(Ask, ParametersChooseTheRow) {
  const auto row_of = [](const std::string& text) {
    const Finding finding = answer_to(text);
    return finding.answered ? finding.hits.front().on.at(0).at(0).row : "";
  };
  EXPECT_EQ(row_of("bar.sync 32 warps"), "synchronization/bar[op=sync,warps=32]");
  EXPECT_EQ(row_of("__syncthreads with 1024 threads"), "synchronization/bar[op=sync,warps=32]");
  EXPECT_THAT(row_of("barrier of a cluster of 8 blocks"),
              ::testing::StartsWith("clusters/barrier[order=release,cluster=8,"));
  EXPECT_EQ(row_of("bar.sync warps=16"), "synchronization/bar[op=sync,warps=16]");
  EXPECT_EQ(row_of("16-way bank conflict of 8 bytes"), "geometry/conflict[pattern=degree,bytes=8,at=16]");
  EXPECT_THAT(row_of("wgmma m64n64k32 e4m3"), ::testing::StartsWith("wgmma/interval[k=32,ab=e4m3,acc=f32,cols=64,"));
  EXPECT_THAT(row_of("bulk copy of 64 KiB from dram"), ::testing::StartsWith("bulk_copy/load[source=dram,bytes=65536"));
}

/// What is near is shown, and is no answer.
TEST(Ask, OfAnotherThingIsSilent) {
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"bar.sync 7 warps", "no row has warps=7 (warps is 1, 2, 4, 8, 16, 32)"},
           {"bank conflict 3", "what 3 is of is not said"},
           {"constant memory bandwidth", "the records have no rate of that"},
           {"NVLink latency bf16", "no number of bf16"},
           {"memory clock", "no number of 'memory'"},
           {"dram latency of a B200", "there are no records of 'B200'; there are some of H100, H200"}}) {
    const Finding finding = answer_to(text);
    EXPECT_FALSE(finding.answered) << text;
    EXPECT_THAT(finding.refused, HasSubstr(why)) << text;
    EXPECT_THAT(to_text(answer_sheet(text, finding, library(), known()), Style(false)),
                ::testing::StartsWith("no answer: " + finding.refused + "\n"));
  }
  for (const char* text :
       {"number of registers", "pcie bandwidth", "host to device copy", "latency", "throughput", "ecc"})
    EXPECT_FALSE(answer_to(text).answered) << text;
  EXPECT_TRUE(answer_to("dram latency of an H200").answered);
}

TEST(Ask, WordsThatMatchNothingAreIgnoredAndSaid) {
  const Finding finding = answer_to("dram latency quux");
  ASSERT_TRUE(finding.answered);
  EXPECT_THAT(finding.ignored, ElementsAre("quux"));
  const std::string text = to_text(answer_sheet("dram latency quux", finding, library(), known()), Style(false));
  EXPECT_THAT(text, HasSubstr("  ignored    quux\n"));
}

TEST(Ask, NothingKnownIsNoAnswerAndTheNearestIsShown) {
  const Finding finding = answer_to("prefech");
  EXPECT_FALSE(finding.answered);
  const std::string text = to_text(answer_sheet("prefech", finding, library(), known()), Style(false));
  EXPECT_THAT(text, HasSubstr("no answer: "));
  EXPECT_THAT(text, HasSubstr("did you mean 'prefetch'?"));
  EXPECT_FALSE(answer_to("the colour of an unknown cat").answered);
  EXPECT_FALSE(answer_to("").answered);
}

TEST(Ask, WhatIsComparedIsOneAnswer) {
  const Finding finding = answer_to("shared memory latency vs dram latency");
  ASSERT_TRUE(finding.answered);
  const auto& numbers = finding.hits.front().on.at(0);
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_THAT(numbers[0].row + " " + numbers[1].row, HasSubstr("memory/shared_chase["));
  EXPECT_THAT(numbers[0].row + " " + numbers[1].row, HasSubstr("memory/dram_chase"));
  EXPECT_THAT(finding.ignored, ::testing::IsEmpty());
}

TEST(Ask, TheRateIsFirstWhereARateIsAsked) {
  EXPECT_EQ(answer_to("popc").hits.front().on.at(0).front().of, "latency.a");
  EXPECT_EQ(answer_to("popc throughput").hits.front().on.at(0).front().of, "throughput");
}

ProcessResult run_ask(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), WARPCLOCK_PROGRAM);
  arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports"});
  return run_process(arguments).value();
}

TEST(AskCommand, PrintsOneLineAndWhatSupportsIt) {
  const auto ran = run_ask({"ask", "__syncthreads", "with", "8", "warps"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, ::testing::StartsWith("bar.sync of 8 warps: H100 28.00, H200 28.00 cycles\n"));
  EXPECT_THAT(ran.out, HasSubstr("nvidia-h200/kernels/report.html#synchronization/bar[op=sync,warps=8]\n"));
  EXPECT_THAT(ran.out, HasSubstr("warpclock show 'synchronization/bar["));
  EXPECT_EQ(run_ask({"ask", "tcgen05.mma"}).exit_code, 2);
  EXPECT_EQ(run_ask({"ask", "xyzzy"}).exit_code, 2);
}

TEST(AskCommand, ForPrograms) {
  const auto ran = run_ask({"ask", "--json", "4-way bank conflict", "--gpu", "h200"});
  const Json json = json_of(ran.out);
  EXPECT_EQ(json.at("asked"), "4-way bank conflict");
  const Json& answer = json.at("answer").at(0);
  EXPECT_EQ(answer.at("number.h200"), 4.0);
  EXPECT_EQ(answer.at("unit"), "cycles");
  EXPECT_EQ(answer.at("row.h200"), "geometry/conflict[pattern=degree,bytes=4,at=4]");
  EXPECT_FALSE(answer.contains("h100"));
}

}  // namespace
}  // namespace warpclock
