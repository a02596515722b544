#include "measure/suite_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/worker/protocol.hpp"
#include "measure/testing/fake_worker.hpp"
#include "plan/plan.hpp"

// A run without a GPU: the worker is a shell script that answers every job with the same samples.

namespace warpclock {
namespace {

constexpr double cycles_each = 23;

class SuiteRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    inputs_ = must(load_inputs({}));
    how_.cache_dir = folder_.path();
    how_.quiet = true;
  }

  std::vector<Case> cases() {
    auto all = must(plan(inputs_.suite, parse_arch("sm_90a").value(), Filter{"full", {"shuffle/latency"}}));
    for (Case& one : all) one.counters.clear();
    return all;
  }

  /// A worker that writes `answer`, a line of shell, to each job; $id is the job's.
  Expected<Worker> worker(const std::string& answer) {
    DeviceFacts device;
    device.name = "Fake";
    device.arch = "sm_90a";
    WorkerOptions options;
    options.command = testing::fake_worker(device, answer);
    return Worker::start(options);
  }

  /// Samples on a line for the repeat counts of a case.
  static std::string samples_of(const Case& one) { return testing::answer_with(one, cycles_each); }

  Record run(const std::string& answer, std::size_t taken_over = 0) {
    auto started = must(worker(answer));
    SuiteRun suite_run(inputs_, cases(), started, [](const std::string&) {});
    EXPECT_EQ(suite_run.keep_journal(folder_ / "run.journal", false).value_or(1000), taken_over);
    for (const auto& step : {suite_run.time(how_, {}), suite_run.refine(), suite_run.count()}) {
      EXPECT_TRUE(step) << step.error().message();
    }
    return suite_run.finish();
  }

  testing::TemporaryFolder folder_;
  Inputs inputs_;
  CompileCasesOptions how_;
};

TEST_F(SuiteRunTest, MeasuresEveryCase) {
  const auto planned = cases();
  const Record record = run(samples_of(planned.front()));
  ASSERT_EQ(record.cases.size(), planned.size());
  ASSERT_EQ(record.probes.size(), 1U);
  EXPECT_EQ(record.probes.front().name, "shuffle/latency");
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const CaseRecord& row = record.cases[i];
    EXPECT_EQ(row.id, planned[i].id);
    EXPECT_EQ(row.outcome, Outcome::Measured) << row.reason.text;
    ASSERT_FALSE(row.estimates.empty()) << row.id;
    EXPECT_EQ(row.estimates.front().value, cycles_each);
  }
}

TEST_F(SuiteRunTest, AFailedCaseIsARowAndIsTriedAgainByTheNextRun) {
  const auto planned = cases();
  ASSERT_GT(planned.size(), 2U);
  const std::string good = samples_of(planned.front()), bad = planned[1].id;
  const std::string fault = to_line(ErrorEvent{bad, {"fault", "an illegal address", ""}});
  const Record first = run("if [ \"$id\" = '" + bad + "' ]; then echo '" + fault + "'; else " + good + "; fi");
  ASSERT_EQ(first.cases.size(), planned.size());
  const auto failed = [](const CaseRecord& row) { return row.outcome == Outcome::Failed; };
  EXPECT_EQ(std::ranges::count_if(first.cases, failed), 1);
  EXPECT_EQ(first.cases[1].reason.code, "fault");

  // The second run asks the worker for the failed case alone: any other job would end it.
  const Record second = run("if [ \"$id\" = '" + bad + "' ]; then " + good + "; else exit 1; fi", planned.size() - 1);
  ASSERT_EQ(second.cases.size(), planned.size());
  for (const CaseRecord& row : second.cases) {
    EXPECT_EQ(row.outcome, Outcome::Measured) << row.id << ": " << row.reason.text;
  }
}

}  // namespace
}  // namespace warpclock
