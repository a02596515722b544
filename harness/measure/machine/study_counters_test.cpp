#include "measure/machine/study_counters.hpp"

#include <array>
#include <deque>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
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
  IssueStudy counted(const std::vector<std::string>& counters) {
    const Ground& ground = ground_of("sm_90a");
    StudyPlan plan;
    for (const char* key : {"@PT FFMA R#, R#, R#, R#", "@PT IADD3 R#, R#, R#, R#"})
      plan.subjects.push_back(relation_form(ground.table, key, ground.movers)->subject);
    constexpr std::array lengths{8, 12, 20};
    auto windows = study_windows(plan, lengths, ground.hole, ground.movers);
    EXPECT_TRUE(windows);
    MachineTableOptions how;
    how.holes = std::make_shared<Holes>(parse_arch("sm_90a").value(), find_nvdisasm().value(), "");
    how.folder = folder_.path();
    how.counters = counters;
    how.desk = {[this](const Job& job) { posted_.push_back(job); }, [this] { return take(); }};
    IssueStudy study{.id = "pairs/FFMA+IADD3"};
    EXPECT_TRUE(count_studies(how, ground.hole, {{&study, *std::move(windows), plan.subjects.front().data.front()}}));
    return study;
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
  const IssueStudy study = counted({metric});
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

}  // namespace
}  // namespace warpclock
