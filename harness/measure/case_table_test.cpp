#include "measure/case_table.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using ::testing::Pair;

/// One verified case with three kernels that requests a hit rate.
class CaseTableTest : public ::testing::Test {
 protected:
  CaseTableTest() {
    Case one;
    one.id = "memory/chase[footprint=4096]";
    one.parameters = {{"footprint", 4096}};
    one.along = "footprint";
    one.repeats = {128, 32, 64};
    one.measures = {{"latency", Method::Slope, "cycles", 1, "", ""}};
    one.counters = {"hits"};
    table_.cases = {one};
    Build build;
    for (const std::int64_t n : one.repeats) build.kernels.push_back({n, "k" + std::to_string(n), {}});
    Verdict verified;
    verified.code = "verified";
    table_.compiled.push_back({build, {verified, verified, verified}});
    table_.metrics = {{"hits", {"hit.sum", "all.sum"}, {}, "percent", "%", "Share of hits", ""}};
    table_.chip = "GH100";
  }

  [[nodiscard]] Row timed() const {
    Observation seen;
    for (const std::int64_t n : {32, 64, 128})
      seen.samples.push_back({n, std::vector<double>(7, 34.0 * static_cast<double>(n))});
    const Expected<Observation> result = seen;
    return table_.row(0, &result);
  }
  [[nodiscard]] Row counted(std::vector<std::map<std::string, double>> launches) const {
    Observation seen;
    seen.counted = std::move(launches);
    return table_.with_counters(0, timed(), seen);
  }

  CaseTable table_;
};

TEST_F(CaseTableTest, AKernelGetsItsPlaceOnTheAxis) {
  EXPECT_EQ(table_.timed_job(0).at, 4096);
  table_.cases[0].along.clear();
  EXPECT_EQ(table_.timed_job(0).at, 0);
}

TEST_F(CaseTableTest, CountersAreOfTheLargestLaunch) {
  ASSERT_TRUE(table_.wants_counters(0, timed()));
  const auto job = must(table_.counting_job(0));
  EXPECT_FALSE(job.timed);
  EXPECT_TRUE(job.prepared) << "a counted launch finds what a timed one finds";
  ASSERT_EQ(job.kernels.size(), 1U);
  EXPECT_EQ(job.kernels[0].symbol, "k128");
  const Row row = counted({{{"hit.sum", 30.0}, {"all.sum", 40.0}}});
  EXPECT_THAT(row.counters, ElementsAre(Pair("hits", 75.0)));
  EXPECT_EQ(row.counters_missing, "");
  EXPECT_FALSE(table_.wants_counters(0, row));
}

TEST_F(CaseTableTest, AKernelThatIsNotVerifiedIsNotRunForItsCounters) {
  table_.compiled[0].verdicts[1].code = "folded";
  const Expected<Observation> not_run = Observation{};
  const Row row = table_.row(0, &not_run);
  EXPECT_EQ(row.outcome, Outcome::Rejected);
  EXPECT_FALSE(table_.wants_counters(0, row));
}

TEST_F(CaseTableTest, ACountedLaunchMayHaveBlocksOfItsOwn) {
  table_.cases[0].launch.blocks_per_sm = 2;
  EXPECT_EQ(table_.counting_job(0)->launch.blocks_per_sm, 2);
  table_.cases[0].counted_blocks = 1;
  EXPECT_EQ(table_.counting_job(0)->launch.blocks, 1);
  EXPECT_EQ(table_.counting_job(0)->launch.blocks_per_sm, 0);
  EXPECT_EQ(table_.timed_job(0).launch.blocks_per_sm, 2);
}

TEST_F(CaseTableTest, WhatIsNoShareIsNoCounterEither) {
  table_.cases[0].counters_of = CountersOf::Step;
  const Row row = counted({{{"hit.sum", 100.0}, {"all.sum", 200.0}}, {{"hit.sum", 170.0}, {"all.sum", 264.0}}});
  EXPECT_TRUE(row.counters.empty()) << "70 of 64 hit";
  EXPECT_THAT(row.counters_missing, HasSubstr("hits is 109 % as the difference"));
}

TEST_F(CaseTableTest, CountersOfAStepLeaveOutWhatBothLaunchesHave) {
  table_.cases[0].counters_of = CountersOf::Step;
  const auto job = must(table_.counting_job(0));
  ASSERT_EQ(job.kernels.size(), 2U);
  EXPECT_EQ(job.kernels[0].symbol, "k64");
  EXPECT_EQ(job.kernels[1].symbol, "k128");
  const Row row = counted({{{"hit.sum", 100.0}, {"all.sum", 1064.0}}, {{"hit.sum", 164.0}, {"all.sum", 1128.0}}});
  EXPECT_THAT(row.counters, ElementsAre(Pair("hits", 100.0)));
}

TEST_F(CaseTableTest, CountersOfPassesAreOfTheSameKernelWithMoreOfThem) {
  table_.cases[0].counters_of = CountersOf::Passes;
  const auto job = must(table_.counting_job(0));
  ASSERT_EQ(job.kernels.size(), 2U);
  EXPECT_EQ(job.kernels[0].symbol, "k128");
  EXPECT_EQ(job.kernels[0].further_passes, 0);
  EXPECT_EQ(job.kernels[1].symbol, "k128");
  EXPECT_GT(job.kernels[1].further_passes, 0);
  const Row row = counted({{{"hit.sum", 500.0}, {"all.sum", 1000.0}}, {{"hit.sum", 8600.0}, {"all.sum", 10000.0}}});
  EXPECT_THAT(row.counters, ElementsAre(Pair("hits", 90.0)));
}

TEST_F(CaseTableTest, SaysWhyThereAreNoCounters) {
  Observation none;
  none.counters_missing = "no permission";
  EXPECT_EQ(table_.with_counters(0, timed(), none).counters_missing, "no permission");
  EXPECT_NE(counted({}).counters_missing, "");
  EXPECT_EQ(table_.with_counters(0, timed(), fail("fault", "it fell over")).counters_missing, "it fell over");
}

TEST(ExitStatus, IsOfWhatWentWrong) {
  const auto of = [](Outcome outcome) {
    Row measured, row;
    row.outcome = outcome;
    return exit_status({measured, row, measured});
  };
  EXPECT_EQ(exit_status({}), 0);
  EXPECT_EQ(of(Outcome::Measured), 0);
  EXPECT_EQ(of(Outcome::Skipped), 0);
  EXPECT_EQ(of(Outcome::Unsteady), 0);
  EXPECT_EQ(of(Outcome::Rejected), 1);
  EXPECT_EQ(of(Outcome::Failed), 1);
}

}  // namespace
}  // namespace warpclock
