#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "cli/ask/answer.hpp"
#include "plan/config/yaml.hpp"

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

Wanted read_wanted(const Node& node) {
  const Fields fields = node.fields({"row", "of", "probe", "feature", "with", "highest", "says", "none"});
  Wanted one;
  const auto text = [&](const char* key, std::string& to) {
    if (const auto found = fields.find(key)) to = found->text();
  };
  text("row", one.row), text("of", one.of), text("probe", one.probe), text("feature", one.feature);
  text("highest", one.highest), text("none", one.none);
  if (const auto with = fields.find("with"))
    for (const auto& [name, value] : with->entries()) one.with[name] = value.value();
  if (const auto says = fields.find("says"))
    for (const Node& each : says->items()) one.says.push_back(each.text());
  return one;
}

std::vector<AskedQuestion> questions(const char* list) {
  std::ifstream file(WARPCLOCK_SOURCE_DIR "/harness/cli/testdata/questions.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto document = Document::parse("questions.yaml", text).value();
  std::vector<AskedQuestion> all;
  for (const Node& node : document.root().fields({"questions", "searches", "fresh"}).get(list).items()) {
    const Fields fields = node.fields({"ask", "is"});
    AskedQuestion one{fields.get("ask").text(), {}};
    for (const Node& each : fields.get("is").items_or_self()) one.is.push_back(read_wanted(each));
    all.push_back(std::move(one));
  }
  EXPECT_FALSE(document.error()) << document.error()->message();
  return all;
}

/// The values that the records of a GPU have of a row's estimate, or of a feature: one in each suite.
std::vector<double> recorded(const ReportedGpu& gpu, const Wanted& one) {
  std::vector<double> values;
  const auto add = [&](const std::vector<Estimate>& estimates, const std::string& name) {
    if (const Estimate* found = find_by(estimates, name, &Estimate::name)) values.push_back(found->value);
  };
  for (const auto& [suite, record] : gpu.results) {
    std::optional<double> highest;
    for (const CaseRecord& row : record->cases) {
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
  if (const auto* row = find_by(gpu.table->rows, one.row, &InstructionRecord::id)) add(row->estimates, one.of);
  if (const MachineRow* row = row_of_form(gpu.machine->rows, one.row)) {
    if (row->interval && one.of == "interval") values.push_back(row->interval->value);
    for (const DependencyLatency& latency : row->latencies)
      if (latency.cycles && latency.cycles->name == one.of) values.push_back(latency.cycles->value);
  }
  for (const auto& [suite, table] : gpu.kernels)
    for (const KernelRow& row : table->rows)
      if (row.id == one.row && row.measurement) values.push_back(row.measurement->cycles);
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

}  // namespace
}  // namespace warpclock
