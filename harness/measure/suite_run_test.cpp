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
  [[nodiscard]] Expected<Worker> worker(const std::string& answer) const {
    WorkerOptions options;
    options.command = testing::fake_worker(device_, answer);
    return Worker::start(options);
  }

  /// Samples on a line for the repeat counts of a case.
  static std::string samples_of(const Case& one) { return testing::answer_with(one, cycles_each); }

  Expected<TakenOver> keep_journal(SuiteRun& suite_run, const char* date = "2026-01-01T00:00:00Z") {
    const RunGround ground{inputs_.configs, inputs_.sources, device_, "node1", "", {"nvrtc 13.0"}, {}};
    return suite_run.keep_journal(folder_ / "run.journal", {ground, {date}});
  }

  Record run(const std::string& answer, std::size_t taken_over = 0, const char* date = "2026-01-01T00:00:00Z") {
    auto started = must(worker(answer));
    SuiteRun suite_run(inputs_, cases(), started, [](const std::string&) {});
    EXPECT_EQ(must(keep_journal(suite_run, date)).rows, taken_over);
    for (const auto& step : {suite_run.time(how_, {}), suite_run.refine(), suite_run.count()}) {
      EXPECT_TRUE(step) << step.error().message();
    }
    return suite_run.finish();
  }

  testing::TemporaryFolder folder_;
  Inputs inputs_;
  CompileCasesOptions how_;
  DeviceFacts device_ = fake_device();

 private:
  static DeviceFacts fake_device() {
    DeviceFacts device;
    device.name = "Fake";
    device.arch = "sm_90a";
    device.uuid = "GPU-5f";
    return device;
  }
};

TEST_F(SuiteRunTest, MeasuresEveryCase) {
  const auto planned = cases();
  const Record record = run(samples_of(planned.front()));
  ASSERT_EQ(record.rows.size(), planned.size());
  ASSERT_EQ(record.probes.size(), 1U);
  EXPECT_EQ(record.probes.front().name, "shuffle/latency");
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const Row& row = record.rows[i];
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
  ASSERT_EQ(first.rows.size(), planned.size());
  const auto failed = [](const Row& row) { return row.outcome == Outcome::Failed; };
  EXPECT_EQ(std::ranges::count_if(first.rows, failed), 1);
  EXPECT_EQ(first.rows[1].reason.code, "fault");

  // The second run asks the worker for the failed case alone: any other job would end it.
  const Record second = run("if [ \"$id\" = '" + bad + "' ]; then " + good + "; else exit 1; fi", planned.size() - 1,
                            "2026-01-02T00:00:00Z");
  ASSERT_EQ(second.rows.size(), planned.size());
  for (const Row& row : second.rows) {
    EXPECT_EQ(row.outcome, Outcome::Measured) << row.id << ": " << row.reason.text;
  }
  EXPECT_EQ(first.provenance.resumed, ResumedRows());
  EXPECT_EQ(second.provenance.resumed, (ResumedRows{static_cast<int>(planned.size()) - 1, "2026-01-01T00:00:00Z"}));
}

TEST_F(SuiteRunTest, TakesNoRowsOfAnotherGpuOfTheSameModel) {
  const Case any = cases().front();
  const Record before = run(testing::answer_with(any, 23));
  device_.uuid = "GPU-60";
  const Record after = run(testing::answer_with(any, 31));
  ASSERT_EQ(after.rows.size(), before.rows.size());
  for (const Row& row : after.rows) EXPECT_EQ(row.estimates.at(0).value, 31) << row.id;
  EXPECT_EQ(after.provenance.resumed, ResumedRows());
}

TEST_F(SuiteRunTest, TakesNoRowsOfAnotherConfig) {
  const Case any = cases().front();
  (void)run(testing::answer_with(any, 23));
  std::string& config = inputs_.configs.at("configs/shuffle.yaml");
  const std::size_t at = config.find("repeat:");
  ASSERT_NE(at, std::string::npos);
  config.insert(at, "# ");
  auto started = must(worker(testing::answer_with(any, 31)));
  SuiteRun suite_run(inputs_, cases(), started, [](const std::string&) {});
  const TakenOver taken = must(keep_journal(suite_run));
  EXPECT_EQ(taken.rows, 0U);
  EXPECT_EQ(taken.differs, "configs");
}

// As on a full disk. Nothing more is measured, and what was measured is not lost.
TEST_F(SuiteRunTest, StopsAtTheFirstRowThatCannotBeKept) {
  const std::string answer = samples_of(cases().front());
  (void)run(answer);  // fills the cache
  const std::uintmax_t half = std::filesystem::file_size(folder_ / "run.journal") / 2;
  std::filesystem::remove(folder_ / "run.journal");
  const std::string counting = "echo x >> '" + (folder_ / "jobs") + "'; " + answer;
  {
    auto started = must(worker(counting));
    SuiteRun suite_run(inputs_, cases(), started, [](const std::string&) {});
    (void)must(keep_journal(suite_run));
    const testing::FileSizeLimit limit(half);
    EXPECT_THAT(failure_of(suite_run.time(how_, {})), IsError("io", HasSubstr("File too large")));
  }
  const std::size_t jobs = read_file(folder_ / "jobs")->size() / 2;
  EXPECT_GT(jobs, 1U);
  EXPECT_LT(jobs, cases().size());
  EXPECT_EQ(run(answer, jobs - 1).provenance.resumed.rows, static_cast<int>(jobs) - 1);
}

}  // namespace
}  // namespace warpclock
