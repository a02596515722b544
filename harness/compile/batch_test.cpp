#include "compile/batch.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/lookup.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

using testing::make_case;

std::vector<Case> cases_of(std::size_t count, const std::string& kernel, const std::string& arch = "sm_90a") {
  return std::vector<Case>(count, make_case(kernel, arch, {1, 2, 3}));
}

std::vector<Order> orders_for(const std::vector<Case>& cases) {
  std::vector<Order> orders;
  for (std::size_t i = 0; i < cases.size(); ++i) orders.push_back({i, {cases[i].arch, false}});
  return orders;
}

std::vector<std::size_t> sizes(const std::vector<Batch>& batches) {
  return mapped(batches, [](const auto& batch) { return batch.cases.size(); });
}

TEST(PlanBatches, GivesEveryThreadWork) {
  const auto cases = cases_of(40, "a.cu");
  EXPECT_EQ(plan_batches(orders_for(cases), cases, 16).size(), 15U);
  EXPECT_EQ(sizes(plan_batches(orders_for(cases), cases, 2)), (std::vector<std::size_t>{5, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(sizes(plan_batches(orders_for(cases), cases, 1)), (std::vector<std::size_t>{10, 10, 10, 10}));
}

TEST(PlanBatches, KeepsModulesWithinReason) {
  const auto cases = cases_of(400, "a.cu");
  for (const auto& batch : plan_batches(orders_for(cases), cases, 1)) EXPECT_LE(kernels_of(batch, cases), 66U);
}

TEST(PlanBatches, DoesNotCutWhatIsSmall) {
  const auto cases = cases_of(2, "a.cu");
  EXPECT_EQ(sizes(plan_batches(orders_for(cases), cases, 16)), (std::vector<std::size_t>{2}));
  EXPECT_TRUE(plan_batches({}, {}, 16).empty());
}

TEST(PlanBatches, KeepsProbesAndArchitecturesApartAndLosesNoCase) {
  auto cases = cases_of(5, "a.cu");
  for (const auto& more : {cases_of(7, "b.cu"), cases_of(9, "a.cu", "sm_80")}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  const auto batches = plan_batches(orders_for(cases), cases, 4);
  std::multiset<std::size_t> seen;
  for (const auto& batch : batches) {
    for (const std::size_t i : batch.cases) {
      EXPECT_EQ(cases[i].kernel, cases[batch.cases.front()].kernel);
      EXPECT_EQ(cases[i].arch, batch.target.arch);
      seen.insert(i);
    }
  }
  EXPECT_EQ(seen.size(), cases.size());
  EXPECT_EQ(std::set<std::size_t>(seen.begin(), seen.end()).size(), cases.size());
  EXPECT_TRUE(std::ranges::is_sorted(sizes(batches), std::greater{}));
}

TEST(Batch, SplitsIntoHalvesAndSingles) {
  const Batch batch{{{90, true}, false}, {4, 5, 6}};
  EXPECT_EQ(sizes(halves(batch)), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(halves(batch)[1].cases, (std::vector<std::size_t>{5, 6}));
  EXPECT_EQ(sizes(singles(batch)), (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(singles(batch)[2].target, batch.target);
}

TEST(SectionsOf, CutsByKernel) {
  const auto sections = sections_of(
      "\t.target\tsm_90a\n\n//--------------------- .text.c0_n16 --------------------------\n"
      "\t.section\t.text.c0_n16\nA\n//--------------------- .nv.info  ------\nnot code\n"
      "//--------------------- .text.c0_n1 --------------------------\nB\n");
  EXPECT_EQ(sections.at(""), "\t.target\tsm_90a\n");
  EXPECT_NE(sections.at("c0_n16").find("\nA"), std::string_view::npos);
  EXPECT_EQ(sections.at("c0_n16").find("not code"), std::string_view::npos);
  EXPECT_NE(sections.at("c0_n1").find("\nB\n"), std::string_view::npos);
  EXPECT_FALSE(sections.contains("c0"));
  EXPECT_TRUE(sections_of("").empty());
  EXPECT_EQ(sections_of("\n//-----").size(), 2U);
}

}  // namespace
}  // namespace warpclock
