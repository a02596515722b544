#include "measure/case_counts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

const CaseCounts& all_counts() {
  static const CaseCounts counts = [] {
    Selection selection;
    selection.suite = "all";
    return must(count_cases(must(load_inputs(selection)), selection, all_archs()));
  }();
  return counts;
}

/// The GPUs that the tables name; the option --arch knows more.
const std::map<int, std::string>& gpus() {
  static const std::map<int, std::string> all = {
      {75, "T4"},    {80, "A100"},  {86, "A40, 3090"}, {87, "Orin"},  {89, "L40S, 4090"}, {90, "H100, H200"},
      {100, "B200"}, {103, "B300"}, {110, "Thor"},     {120, "5090"}, {121, "Spark"}};
  return all;
}

std::string table_of_cases(const CaseCounts& counts) {
  std::string text = "| architecture | GPUs |", line = "|---|---|";
  for (const SuiteCount& suite : counts.archs.front().suites) {
    text += fmt::format(" `{}` |", suite.suite);
    line += "---:|";
  }
  text += "\n" + line + "\n";
  for (const ArchCount& here : counts.archs) {
    text += fmt::format("| {} | {} |", to_string(here.arch), gpus().at(here.arch.sm));
    for (const SuiteCount& suite : here.suites)
      text += fmt::format(" {} of {} |", suite.cases, suite.cases + suite.lacking);
    text += "\n";
  }
  return text;
}

std::string table_of_lacks(const CaseCounts& counts) {
  std::string text = "| why a case is skipped |", line = "|---|";
  for (const ArchCount& here : counts.archs) {
    text += fmt::format(" {} |", to_string(here.arch).substr(3));
    line += "---:|";
  }
  text += "\n" + line + "\n";
  for (const Lack& lack : counts.lacks) {
    text += fmt::format("| {} |", lack.why);
    for (const std::size_t cases : lack.cases) text += cases == 0 ? " |" : fmt::format(" {} |", cases);
    text += "\n";
  }
  return text;
}

/// Expects docs/architectures.md to follow from the configs. WARPCLOCK_ACCEPT=1 in the environment writes the file.
TEST(CaseCounts, AreInTheDocumentation) {
  const std::string text =
      "# Architectures\n\n"
      "What each architecture can run of each suite. `./bootstrap test --all` verifies the first, middle and last of\n"
      "these cases of every probe on each of them, and fails if one is rejected; before each commit that is done on\n"
      "sm_80, sm_90a, sm_100a and sm_120a. Only an H100 and an H200 were measured so far: what the other columns have "
      "is\n"
      "not yet measured. `warpclock verify --suite all --arch B300` verifies every case, without a GPU, and\n"
      "`warpclock list --counts --suite full --arch B300` says how long a run of them would take. On such a GPU,\n"
      "`./bootstrap run` measures the suite `full`, and `build/release/warpclock run --suite kernels` those of tensor\n"
      "cores and copies. This file is written by `measure_test` from `configs/`.\n\n"
      "## Cases\n\n" +
      table_of_cases(all_counts()) +
      "\n## What is lacking\n\nThe number of cases, of all suites, by architecture.\n\n" + table_of_lacks(all_counts());
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) testing::write(WARPCLOCK_SOURCE_DIR "/docs/architectures.md", text);
  EXPECT_EQ(must(read_file(WARPCLOCK_SOURCE_DIR "/docs/architectures.md")), text)
      << "WARPCLOCK_ACCEPT=1 measure_test writes it";
}

TEST(CaseCounts, EveryCaseIsRunOrLacksSomething) {
  const auto total = [](const ArchCount& here) {
    std::vector<std::size_t> all;
    for (const SuiteCount& suite : here.suites) all.push_back(suite.cases + suite.lacking);
    return all;
  };
  for (const ArchCount& here : all_counts().archs)
    EXPECT_EQ(total(here), total(all_counts().archs.front())) << to_string(here.arch);
  for (const Lack& lack : all_counts().lacks) {
    EXPECT_THAT(lack.why, Not(IsEmpty()));
    EXPECT_GT(std::accumulate(lack.cases.begin(), lack.cases.end(), std::size_t{0}), 0U) << lack.why;
  }
}

TEST(CaseCounts, OnlyBlackwellOfDatacentersHasTensorMemory) {
  const auto& lacks = all_counts().lacks;
  const auto lack = std::ranges::find_if(lacks, [](const Lack& one) { return one.why.starts_with("tcgen05 is"); });
  ASSERT_NE(lack, lacks.end());
  for (std::size_t i = 0; i < all_archs().size(); ++i) {
    const int sm = all_archs()[i].sm;
    EXPECT_EQ(lack->cases[i] == 0, sm == 100 || sm == 103 || sm == 110) << sm;
  }
}

TEST(CaseCounts, TakesTheSelection) {
  Selection selection;
  selection.suite = "kernels,full";
  selection.patterns = {"wgmma/"};
  const auto counts = must(count_cases(must(load_inputs(selection)), selection, {{90, true}, {80, false}}));
  ASSERT_EQ(counts.archs.size(), 2U);
  ASSERT_EQ(counts.archs[0].suites.size(), 2U);
  EXPECT_EQ(counts.archs[0].suites[0].suite, "kernels");
  EXPECT_GT(counts.archs[0].suites[0].cases, 0U);
  EXPECT_EQ(counts.archs[0].suites[0].lacking, 0U);
  EXPECT_EQ(counts.archs[1].suites[0].cases, 0U);
  ASSERT_EQ(counts.lacks.size(), 1U);
  EXPECT_EQ(counts.lacks[0].why, "wgmma is sm_90a alone");
  EXPECT_EQ(counts.lacks[0].cases, (std::vector<std::size_t>{0, counts.archs[1].suites[0].lacking}));
}

}  // namespace
}  // namespace warpclock
