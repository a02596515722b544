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
    text += fmt::format(" `{}` of {} |", suite.suite, suite.cases + suite.lacking);
    line += "---:|";
  }
  text += "\n" + line + "\n";
  for (const ArchCount& here : counts.archs) {
    text += fmt::format("| {} | {} |", to_string(here.arch), gpus().at(here.arch.sm));
    for (const SuiteCount& suite : here.suites) text += fmt::format(" {} |", suite.cases);
    text += "\n";
  }
  return text;
}

/// Expects docs/architectures.md to follow from the configs. WARPCLOCK_ACCEPT=1 in the environment writes the file.
TEST(CaseCounts, AreInTheDocumentation) {
  const std::string text =
      "# Architectures\n\n"
      "How many cases of each suite an architecture can run. An H100 and an H200 are measured. For the others,\n"
      "`./bootstrap test --all` verifies the first, middle and last of these cases of every probe. Without a GPU:\n\n"
      "    warpclock list --counts --suite all --arch B300    # what the others need, and how long a run takes\n"
      "    warpclock verify --suite all --arch B300           # every window\n\n" +
      table_of_cases(all_counts()) + "\n`measure_test` writes this file from `configs/`.\n";
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
