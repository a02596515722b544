#include "cli/fleet/run.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/processes.hpp"
#include "cli/measuring.hpp"
#include "cli/report_folder.hpp"
#include "gpu/worker/protocol.hpp"
#include "measure/testing/fake_worker.hpp"
#include "plan/plan.hpp"

// Whole runs without a GPU: the worker is a shell script.

namespace warpclock {
namespace {

namespace fs = std::filesystem;

class RunOneTest : public ::testing::Test {
 protected:
  RunOneTest() {
    hello_.device.name = "Fake";
    hello_.device.slug = "fake";
    hello_.device.arch = "sm_90a";
    hello_.device.uuid = "GPU-5f";
    options_.selection.patterns = {"shuffle/latency"};
    options_.compile.cache_dir = folder_ / "cache";
    options_.measuring.no_counters = true;
    options_.measuring.quiet = true;
    options_.out = out_;
  }

  static std::vector<Case> cases() {
    const Inputs inputs = must(load_inputs({}));
    return must(plan(inputs.suite, parse_arch("sm_90a").value(), Filter{"full", {"shuffle/latency"}}));
  }

  static std::string good() { return testing::answer_with(cases().front(), 23); }

  Expected<int> run(const std::string& answer) {
    options_.worker.command = testing::fake_worker(hello_, "echo x >> '" + jobs_ + "'; " + answer);
    return run_one(options_);
  }

  [[nodiscard]] bool measured() const { return fs::exists(jobs_) || has_packed_file(out_ + "/result.json"); }
  [[nodiscard]] Record record() const { return must(read_record(out_ + "/result.json.gz")); }

  testing::TemporaryFolder folder_;
  const std::string out_ = folder_ / "out", jobs_ = folder_ / "jobs";
  HelloEvent hello_;
  RunOptions options_;
};

TEST_F(RunOneTest, ExclusiveRefusesASharedGpuBeforeItMeasures) {
  options_.measuring.exclusive = true;
  const HelloEvent alone = hello_;
  hello_.others = {"python3 (process 915, compute, 874 MiB)"};
  EXPECT_THAT(failure_of(run(good())), IsError("shared", HasSubstr("nothing was measured")));
  hello_ = alone;
  hello_.wait_us = 2400;
  EXPECT_THAT(failure_of(run(good())), IsError("shared", HasSubstr("nothing was measured")));
  hello_ = alone;
  hello_.pause_us = 2400;
  EXPECT_THAT(failure_of(run(good())), IsError("shared", HasSubstr("nothing was measured")));
  EXPECT_FALSE(measured());
  hello_ = alone;
  EXPECT_EQ(must(run(good())), 0);
  EXPECT_TRUE(measured());
}

TEST_F(RunOneTest, MeasuresNothingWhereAnotherRunWrites) {
  const auto other = must(FolderLock::take(out_));
  EXPECT_THAT(failure_of(run(good())), IsError("locked", HasSubstr("another run writes into this folder now")));
  EXPECT_FALSE(measured());
}

TEST_F(RunOneTest, RowsThatFailForReasonsOfTheMachineReplaceNoBetterRecord) {
  ASSERT_EQ(must(run(good())), 0);
  const Record before = record();
  const std::string full = to_line(ErrorEvent{"@", {"io", "No space left on device", ""}});
  const std::size_t at = full.find('@');
  const std::string fails = "printf '%s%s%s\\n' '" + full.substr(0, at) + "' \"$id\" '" + full.substr(at + 1) + "'";
  const std::string half =
      "if [ $(($(wc -l < '" + jobs_ + "') % 2)) = 0 ]; then " + good() + "; else " + fails + "; fi";
  EXPECT_THAT(failure_of(run(half)),
              IsError("worse", AllOf(HasSubstr("io: No space left on device"), HasSubstr("--replace"))));
  EXPECT_EQ(record(), before);

  // What was measured is not lost.
  EXPECT_EQ(must(run(good())), 0);
  const ResumedRows resumed = record().provenance.resumed;
  EXPECT_GT(resumed.rows, 0);
  EXPECT_LT(resumed.rows, std::ssize(before.rows));

  options_.measuring.replace = true;
  EXPECT_EQ(must(run(half)), 1);
  EXPECT_NE(record().rows, before.rows);
}

// Such as by the killer of a machine without memory.
TEST_F(RunOneTest, RowsWhoseWorkerDiedReplaceNoBetterRecord) {
  ASSERT_EQ(must(run(good())), 0);
  const Record before = record();
  EXPECT_THAT(failure_of(run("kill -KILL $$")), IsError("worse", HasSubstr("worker-died: ")));
  EXPECT_EQ(record(), before);
}

TEST_F(RunOneTest, ARecordThatCannotBeReadIsNotReplacedByOneOfFailedRows) {
  ASSERT_EQ(must(run(good())), 0);
  Record failed = record();
  failed.rows[0].outcome = Outcome::Failed;
  failed.rows[0].reason.code = "io";
  for (const std::string& at : {folder_.path(), out_}) chmod(at.c_str(), 0755);
  chmod((out_ + "/result.json.gz").c_str(), 0);
  {
    const testing::AsNobody nobody;
    EXPECT_THAT(failure_of(may_take_place(out_, failed, false)), IsError("io", HasSubstr("Permission denied")));
  }
  testing::write(out_ + "/result.json.gz", "damaged");
  EXPECT_TRUE(may_take_place(out_, failed, false));
}

TEST_F(RunOneTest, ARunWithFailuresOfCasesReplacesARecord) {
  ASSERT_EQ(must(run(good())), 0);
  const std::string fault = to_line(ErrorEvent{"@", {"fault", "an illegal address", ""}});
  const std::size_t at = fault.find('@');
  EXPECT_EQ(must(run("printf '%s%s%s\\n' '" + fault.substr(0, at) + "' \"$id\" '" + fault.substr(at + 1) + "'")), 1);
  for (const Row& row : record().rows) EXPECT_EQ(row.outcome, Outcome::Failed);
}

}  // namespace
}  // namespace warpclock
