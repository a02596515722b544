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
  static std::vector<MachineRow> rows_of(const std::vector<WordForm>& forms) {
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
  const MachineRow row = rows_of({form("@PT FFMA R#, R#, R#, R#")}).front();
  ASSERT_FALSE(row.reason) << row.reason->text;
  ASSERT_EQ(row.latencies.size(), 3);
  EXPECT_THAT(row.latencies, Each(Field(&DependencyLatency::least_right, Optional(4))));
  for (const DependencyLatency& latency : row.latencies) {
    ASSERT_TRUE(latency.cycles);
    EXPECT_NEAR(latency.cycles->value, 4, 0.01);
  }
  ASSERT_TRUE(row.interval);
}

TEST_F(MachineGpuTest, AWindowThatFaultsCostsItsOwnRow) {
  WordForm illegal = form("@PT FFMA R#, R#, R#, R#");
  illegal.word.low |= 0xfff;
  const auto rows = rows_of({illegal, form("@PT FFMA R#, R#, R#, R#")});
  EXPECT_TRUE(rows[0].reason);
  EXPECT_FALSE(rows[1].reason);
}

}  // namespace
}  // namespace warpclock
