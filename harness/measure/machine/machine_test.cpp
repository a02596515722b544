#include "measure/machine/machine.hpp"

#include <deque>
#include <filesystem>

#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "measure/machine/testing/ground.hpp"

namespace warpclock {
namespace {

constexpr const char* fma = "@PT FFMA R#, R#, R#, R#";

/// A worker on which every instruction takes four cycles; reads after three or fewer are stale.
class MachineTest : public ::testing::Test {
 protected:
  MachineTableOptions options_for(const std::vector<WordForm>& forms) {
    MachineTableOptions how;
    const Arch arch = parse_arch("sm_90a").value();
    how.holes = std::make_shared<Holes>(arch, find_nvdisasm().value(), hole_cache());
    how.folder = folder_.path();
    how.forms = forms;
    how.architecture = forms_of(arch).all();
    how.desk = {[this](const Job& job) { post(job); }, [this] { return take(); }};
    how.failed = [this](const Row& row) { failed_.push_back(row.id); };
    return how;
  }

  std::vector<Row> rows_of(const std::vector<std::string>& keys) {
    const Arch arch = parse_arch("sm_90a").value();
    std::vector<WordForm> forms;
    for (const std::string& key : keys) {
      const WordForm* form = forms_of(arch).find(key);
      EXPECT_NE(form, nullptr) << key;
      if (form != nullptr) forms.push_back(*form);
    }
    return must(measure_machine(options_for(forms)));
  }

  void post(const Job& job) {
    ++jobs_;
    posted_.push_back(job);
    for (const JobKernel& kernel : job.kernels) EXPECT_TRUE(std::filesystem::exists(kernel.cubin_path));
  }
  Expected<Observation> take() {
    const Job job = posted_.front();
    posted_.pop_front();
    if (answer) return answer(job);
    Observation seen;
    for (std::size_t i = 0; i < job.kernels.size(); ++i) {
      const JobKernel& kernel = job.kernels[i];
      const double cycles =
          10 + 4.0 * static_cast<double>(kernel.n) * std::max(1.0, static_cast<double>(kernel.warps) / 4);
      const bool repeated = kernel.launches > 2;
      seen.samples.push_back({kernel.n, {cycles, repeated ? cycles : cycles * scatter_}});
      // In the first job twelve windows are timed. Then come the chains of each operand: for seven stall counts (six of
      // them the shortest), three kinds of data, and each for one warp per sub-partition and for several.
      constexpr std::size_t timed = 12, data = 6, stalls = 7;
      const bool stale = jobs_ == 1 && i >= timed && i < timed + 3 * stalls * data && (i - timed) / data % stalls < 3;
      seen.digests.push_back(stale ? "stale" : "right");
    }
    return seen;
  }

  testing::TemporaryFolder folder_;
  int jobs_ = 0;
  double scatter_ = 1;
  std::deque<Job> posted_;
  std::vector<std::string> failed_;
  std::function<Expected<Observation>(const Job&)> answer;
};

double value_of(const Row& row, const std::string& name) {
  const Estimate* found = estimate_in(row, name);
  return found == nullptr ? -1 : found->value;
}

TEST_F(MachineTest, AFixedLatencyIsFoundByStallCountAndThenTimed) {
  const Row row = rows_of({fma}).front();
  EXPECT_EQ(jobs_, 2) << "the second one times chains at the distances that the first one found";
  EXPECT_EQ(row.id, fma);
  EXPECT_EQ(row.outcome, Outcome::Measured) << row.reason.text;
  ASSERT_EQ(row.machine.paths.size(), 3);
  for (const OperandPath& path : row.machine.paths) {
    EXPECT_THAT(path.wrong, ElementsAre(1, 2, 3));
    for (const char* name : {"latency", "minimum_stall", "minimum_stall_among_warps"})
      EXPECT_DOUBLE_EQ(value_of(row, fmt::format("{}.{}", name, path.source)), 4) << name;
  }
  EXPECT_DOUBLE_EQ(value_of(row, "encoded"), 4);
  EXPECT_DOUBLE_EQ(value_of(row, "interval"), 4);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "images are removed";
}

TEST_F(MachineTest, AnIntervalWhoseLaunchesDifferIsMeasuredAgain) {
  scatter_ = 1.5;
  const Row row = rows_of({fma}).front();
  EXPECT_EQ(jobs_, 2) << "together with the chains";
  EXPECT_EQ(row.machine.cells.size(), 4) << "for 1, 4, 8 and 16 warps; those of the first job are replaced";
  EXPECT_DOUBLE_EQ(value_of(row, "interval"), 4);
}

TEST_F(MachineTest, WhatTheWorkerCannotRunCostsItsOwnRow) {
  answer = [this](const Job&) -> Expected<Observation> {
    answer = {};
    jobs_ = 0;
    return fail("fault", "an illegal instruction was encountered");
  };
  const auto rows = rows_of({fma, "@PT HADD2 R#, R#, R#"});
  EXPECT_EQ(rows[0].reason, (Reason{"run", "fault", "an illegal instruction was encountered"}));
  EXPECT_EQ(rows[0].outcome, Outcome::Rejected);
  EXPECT_THAT(failed_, ElementsAre(fma));
  EXPECT_EQ(rows[1].outcome, Outcome::Measured);
  EXPECT_NE(estimate_in(rows[1], "interval"), nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(MachineTest, WhatIsNotSetUpIsARowWithItsReason) {
  const Row row = rows_of({"@PT BSYNC #"}).front();
  EXPECT_EQ(row.outcome, Outcome::Rejected);
  EXPECT_EQ(row.reason.stage, "compose");
  EXPECT_THAT(row.reason.text, HasSubstr("region of divergence"));
  EXPECT_EQ(jobs_, 0);
  EXPECT_THAT(failed_, IsEmpty());
}

TEST_F(MachineTest, SetUpFromAZeroRegisterIsReadBack) {
  for (const Row& row : rows_of({"@PT LDS R#, [R#+UR#+#]", "@PT LDC R#, c[#][R#+#]"})) {
    EXPECT_EQ(row.outcome, Outcome::Measured) << row.reason.text;
  }
}

TEST_F(MachineTest, AWordThatIsReadAsSomethingElseCostsItsRow) {
  const Arch arch = parse_arch("sm_90a").value();
  const FormTable& table = forms_of(arch);
  WordForm crossed = *table.find(fma);
  std::swap(crossed.fields[2].bits, crossed.fields[4].bits);
  const std::vector<WordForm> forms{crossed, *table.find("@PT HADD2 R#, R#, R#")};
  const auto rows = must(measure_machine(options_for(forms)));
  EXPECT_EQ(rows[0].outcome, Outcome::Rejected);
  EXPECT_EQ(rows[0].reason.code, "read-back");
  EXPECT_THAT(rows[0].estimates, IsEmpty());
  EXPECT_EQ(rows[1].outcome, Outcome::Measured);
}

TEST_F(MachineTest, ALostDeviceEndsIt) {
  answer = [](const Job&) -> Expected<Observation> { return fail("device-lost", "gone"); };
  const Arch arch = parse_arch("sm_90a").value();
  const std::vector<WordForm> forms{*forms_of(arch).find(fma)};
  EXPECT_EQ(failure_of(measure_machine(options_for(forms))).code, "device-lost");
}

}  // namespace
}  // namespace warpclock
