#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "measure/machine/machine.hpp"

namespace warpclock {
namespace {

using ::testing::Field;
using ::testing::Optional;

/// Measures rows of forms of the GPU's architecture.
class MachineGpuTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    WorkerOptions options;
    options.command = {WARPCLOCK_PROGRAM, "worker"};
    auto started = must(Worker::start(options));
    worker = new Worker(std::move(started));
  }
  static void TearDownTestSuite() { delete worker; }
  void SetUp() override { ASSERT_NE(worker, nullptr); }

  static const FormTable& table() { return forms_of(parse_arch(worker->device().arch).value()); }
  static WordForm form(const std::string& key) {
    const WordForm* found = table().find(key);
    EXPECT_NE(found, nullptr) << key;
    return found == nullptr ? WordForm{} : *found;
  }
  static std::vector<Row> rows_of(const std::vector<WordForm>& forms) {
    MachineTableOptions how;
    how.holes = std::make_shared<Holes>(parse_arch(worker->device().arch).value(), find_nvdisasm().value(), "");
    how.folder = ::testing::TempDir();
    how.forms = forms;
    how.architecture = table().all();
    how.desk = {[](const Job& job) { worker->post(job); }, [] { return worker->take(); }};
    return must(measure_machine(how));
  }
  static inline Worker* worker = nullptr;
};

// CUDA Programming Guide: an FMA takes 4 cycles since compute capability 7.0; an SM does 128 per clock (8.0: 64).
TEST_F(MachineGpuTest, AnFmaTakesFourCycles) {
  const Row row = rows_of({form("@PT FFMA R#, R#, R#, R#")}).front();
  ASSERT_EQ(row.outcome, Outcome::Measured) << row.reason.text;
  for (const char* source : {"0", "1", "2"}) {
    const Estimate *latency = estimate_in(row, std::string("latency.") + source),
                   *stall = estimate_in(row, std::string("minimum_stall.") + source);
    ASSERT_TRUE(latency != nullptr && stall != nullptr);
    EXPECT_EQ(stall->value, 4);
    EXPECT_NEAR(latency->value, 4, 0.01);
  }
  EXPECT_NE(estimate_in(row, "interval"), nullptr);
}

TEST_F(MachineGpuTest, AWindowThatFaultsCostsItsOwnRow) {
  WordForm illegal = form("@PT FFMA R#, R#, R#, R#");
  illegal.word.low |= 0xfff;
  const auto rows = rows_of({illegal, form("@PT FFMA R#, R#, R#, R#")});
  EXPECT_EQ(rows[0].outcome, Outcome::Rejected);
  EXPECT_EQ(rows[1].outcome, Outcome::Measured);
}

}  // namespace
}  // namespace warpclock
