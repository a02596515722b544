#include "measure/machine/relations.hpp"

#include <gmock/gmock.h>

#include <array>
#include <deque>
#include <filesystem>

#include "base/lookup.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "measure/machine/relation_classes.hpp"
#include "measure/machine/testing/ground.hpp"

namespace warpclock {
namespace {

using ::testing::DoubleEq;
using ::testing::Pair;

constexpr const char* metric = "smsp__warps_issue_stalled_dispatch_stall.sum";

/// Pairs of FFMA and IADD3, and a worker that counts 100 more for each further turn of a warp and pass.
class StudyCounters : public ::testing::Test {
 protected:
  Row counted(const std::vector<std::string>& counters) {
    const Ground& ground = ground_of("sm_90a");
    StudyPlan plan;
    for (const char* key : {"@PT FFMA R#, R#, R#, R#", "@PT IADD3 R#, R#, R#, R#"})
      plan.subjects.push_back(relation_form(ground.table, key, ground.movers)->subject);
    MachineTableOptions how;
    how.holes = std::make_shared<Holes>(parse_arch("sm_90a").value(), find_nvdisasm().value(), hole_cache());
    how.folder = folder_.path();
    how.counters = counters;
    how.desk = {[this](const Job& job) { posted_.push_back(job); }, [this] { return take(); }};
    constexpr std::array lengths{8, 12, 20};
    std::vector<Row> studies{{.id = "pairs/FFMA+IADD3"}};
    EXPECT_TRUE(count_studies(how, ground.movers, {{plan}, lengths, HoleKind::Usual}, studies,
                              [](const Row&) { return true; }));
    return studies.front();
  }

  Expected<Observation> take() {
    if (fault_) return fail("fault", "an illegal instruction was encountered");
    const Job& job = posted_.front();
    Observation seen;
    for (const JobKernel& kernel : job.kernels) {
      const double warp_turns = static_cast<double>(kernel.n * kernel.warps);
      seen.counted.push_back({{metric, 5000 + 2 * 100 * warp_turns}});
    }
    return seen;
  }

  testing::TemporaryFolder folder_;
  std::deque<Job> posted_;
  bool fault_ = false;
};

TEST_F(StudyCounters, WhatATurnAddsForAWarpIsNoted) {
  const Row study = counted({metric});
  EXPECT_THAT(study.counters, ElementsAre(Pair(metric, DoubleEq(100))));
  ASSERT_EQ(posted_.size(), 1);
  const Job& job = posted_.front();
  EXPECT_FALSE(job.timed) << "counters never share a launch with a timing";
  EXPECT_THAT(job.counters, ElementsAre(metric));
  ASSERT_EQ(job.kernels.size(), 2);
  EXPECT_EQ(job.kernels[0].n, 8);
  EXPECT_EQ(job.kernels[1].n, 20);
  for (const JobKernel& kernel : job.kernels) EXPECT_EQ(kernel.warps, 16);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "images are removed";
}

TEST_F(StudyCounters, WithoutCountersNothingRuns) {
  EXPECT_THAT(counted({}).counters, IsEmpty());
  EXPECT_THAT(posted_, IsEmpty());
}

TEST_F(StudyCounters, AFaultLeavesItsStudyWithoutCounters) {
  fault_ = true;
  EXPECT_THAT(counted({metric}).counters, IsEmpty());
}

/// A worker on which reads after three cycles or fewer are stale, and each turn of a window takes ten cycles.
class RelationsTest : public ::testing::Test {
 protected:
  Expected<Record> measured() {
    const FormTable& all = forms_of(how_.holes->arch());
    const auto forms = mapped(std::array{fma, add, exp2}, [&](const char* key) { return *all.find(key); });
    how_.folder = folder_.path();
    how_.architecture = all.all();
    how_.desk = {[this](const Job& job) { posted_.push_back(job); }, [this] { return take(); }};
    how_.progress = [this](std::size_t done, std::size_t total) { progress_ = {done, total}; };
    Record table;
    WARPCLOCK_TRY(measure_relations(how_, FormTable(forms), table));
    return table;
  }

  Expected<Observation> take() {
    const Job job = posted_.front();
    posted_.pop_front();
    if (fault_ && jobs_++ == 0) return fail("fault", "an illegal instruction was encountered");
    if (job.launch.warmups == 0) ++first_passes_;
    Observation seen;
    // The windows of a producer of fixed latency: nine stall counts, each with all data and for two numbers of warps.
    constexpr std::size_t stalls = 9, stale_stalls = 3;
    for (std::size_t i = 0; i < job.kernels.size(); ++i) {
      const JobKernel& kernel = job.kernels[i];
      EXPECT_TRUE(std::filesystem::exists(kernel.cubin_path));
      const double warps = std::max(1.0, static_cast<double>(kernel.warps) / 4);
      const double cycles = 30 + 10.0 * static_cast<double>(kernel.n) * warps;
      seen.samples.push_back({kernel.n, {cycles, cycles}});
      seen.digests.push_back(i < stale_stalls * job.kernels.size() / stalls ? "stale" : "right");
    }
    return seen;
  }

  static const Row& way(const Record& table, const std::string& from, const std::string& to) {
    const auto at = std::ranges::find_if(table.rows, [&](const Row& one) {
      return one.kind == RowKind::Dependence && one.forms == std::vector{from, to};
    });
    EXPECT_NE(at, table.rows.end());
    return *at;
  }

  static std::ptrdiff_t count(const Record& table, RowKind kind) {
    return std::ranges::count(table.rows, kind, &Row::kind);
  }

  static constexpr const char *fma = "@PT FFMA R#, R#, R#, R#", *add = "@PT IADD3 R#, R#, R#, R#",
                              *exp2 = "@PT MUFU.EX2 R#, R#";
  testing::TemporaryFolder folder_;
  MachineTableOptions how_{
      .holes = std::make_shared<Holes>(parse_arch("sm_90a").value(), find_nvdisasm().value(), hole_cache())};
  std::deque<Job> posted_;
  std::pair<std::size_t, std::size_t> progress_;
  int jobs_ = 0, first_passes_ = 0;
  bool fault_ = false;
};

TEST_F(RelationsTest, FixedLatenciesAreFoundByStallCountAndScoreboardsByTiming) {
  const auto table = must(measured());
  EXPECT_EQ(count(table, RowKind::Dependence), 9);
  const Row& fixed = way(table, add, fma);
  EXPECT_EQ(estimate_in(fixed, "minimum_stall.0")->value, 4);
  EXPECT_EQ(estimate_in(fixed, "minimum_stall_among_warps.0")->value, 4);
  ASSERT_NE(estimate_in(fixed, "latency.0"), nullptr) << "then it is timed";
  EXPECT_DOUBLE_EQ(estimate_in(fixed, "latency.0")->value, 10 - safe_stall) << "the worker's cycles, less the way back";
  EXPECT_EQ(estimate_in(way(table, add, exp2), "latency.0"), nullptr) << "how long the way back takes is not known";
  const Row& waits = way(table, exp2, add);
  EXPECT_EQ(estimate_in(waits, "minimum_stall.0"), nullptr);
  ASSERT_NE(estimate_in(waits, "latency.0"), nullptr) << waits.reason.text;
  EXPECT_DOUBLE_EQ(estimate_in(waits, "latency.0")->value, 10 - safe_stall)
      << "ten cycles a turn, less those to the next producer";
  EXPECT_EQ(progress_.first, progress_.second);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "images are removed";
}

TEST_F(RelationsTest, PairsBanksAndFetchHaveIntervalsAndCurves) {
  const auto table = must(measured());
  EXPECT_EQ(count(table, RowKind::Pair), 9) << "three with themselves; three alternating and in runs";
  for (const Row& pair : rows_of(table, RowKind::Pair)) {
    ASSERT_EQ(pair.outcome, Outcome::Measured) << pair.reason.text;
    EXPECT_DOUBLE_EQ(published(pair, "interval")->value, 10);
  }
  EXPECT_EQ(count(table, RowKind::Bank), 2 * 8 * 4);
  EXPECT_EQ(count(table, RowKind::Fetch), 4);
  for (const Row& one : rows_of(table, RowKind::Fetch)) {
    EXPECT_FALSE(one.machine.cells.empty());
    EXPECT_EQ(one.outcome, Outcome::Measured);
    EXPECT_TRUE(one.estimates.empty()) << "it is a curve";
  }
  EXPECT_EQ(first_passes_, 2);
}

TEST_F(RelationsTest, AFaultCostsOneRelation) {
  fault_ = true;
  const auto table = must(measured());
  const auto faulty = [](const Row& one) {
    return one.reason.code == "no-number" && one.reason.text.contains("illegal");
  };
  EXPECT_EQ(std::ranges::count_if(table.rows, faulty), 1);
  EXPECT_NE(published(way(table, exp2, add), "latency.0"), nullptr);
}

}  // namespace
}  // namespace warpclock
