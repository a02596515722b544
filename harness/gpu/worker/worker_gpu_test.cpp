#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/testing/matchers.hpp"
#include "compile/compiler/compiler.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/statistics.hpp"
#include "gpu/worker/worker.hpp"

namespace warpclock {
namespace {

using namespace std::chrono_literals;
using ::testing::Ge;
using ::testing::Le;

// PTX, so that these tests need no compiler. Every kernel takes DeviceArgs by value, with the offsets of
// gpu/job/job.hpp.
constexpr const char* ptx_head = R"(
.version 7.0
.target sm_75
.address_size 64
)";

// The window of `chain<N>` is N dependent FMAs; the last result is consumed before the closing clock.
std::string chain(int n) {
  std::string fmas;
  for (int i = 0; i < n; ++i) fmas += "  fma.rn.f32 %f1, %f1, %f2, %f2;\n";
  return ".visible .entry chain" + std::to_string(n) + R"((.param .align 8 .b8 args[56])
{
  .reg .b64 %r<8>;
  .reg .b32 %t<8>;
  .reg .f32 %f<4>;
  .reg .pred %p<2>;
  ld.param.u64 %r1, [args];
  ld.param.u64 %r2, [args+8];
  ld.param.u64 %r5, [args+24];
  mov.u32 %t1, %tid.x;
  mul.wide.u32 %r3, %t1, 4;
  add.u64 %r2, %r2, %r3;
  ld.volatile.global.f32 %f1, [%r2];
  ld.volatile.global.f32 %f2, [%r2+128];
  bar.warp.sync 0xffffffff;
  add.f32 %f3, %f1, %f2;
  setp.eq.f32 %p1, %f3, 0f7f000000;
  @%p1 bra DONE;
  mov.u64 %r6, %clock64;
)" + fmas +
         R"(
  setp.eq.f32 %p1, %f1, 0f7f000000;
  @%p1 bra DONE;
  mov.u64 %r7, %clock64;
  mov.u32 %t2, %ctaid.x;
  mov.u32 %t3, %ntid.x;
  shr.u32 %t3, %t3, 5;
  shr.u32 %t4, %t1, 5;
  mad.lo.u32 %t2, %t2, %t3, %t4;
  mul.wide.u32 %r3, %t2, 16;
  add.u64 %r1, %r1, %r3;
  st.global.u64 [%r1], %r6;
  st.global.u64 [%r1+8], %r7;
  mov.u32 %t5, 7;
  st.global.u32 [%r5], %t5;
DONE:
  ret;
}
)";
}

constexpr const char* mishaps = R"(
.visible .entry illegal(.param .align 8 .b8 args[56])
{
  .reg .b64 %r<2>;
  .reg .b32 %t<2>;
  mov.u64 %r1, 64;
  mov.u32 %t1, 1;
  st.global.u32 [%r1], %t1;
  ret;
}
.visible .entry endless(.param .align 8 .b8 args[56])
{
  .reg .b64 %r<2>;
  .reg .b32 %t<2>;
  .reg .pred %p<2>;
  ld.param.u64 %r1, [args+24];
AGAIN:
  ld.volatile.global.u32 %t1, [%r1];
  setp.ne.u32 %p1, %t1, 4242;
  @%p1 bra AGAIN;
  ret;
}
.visible .entry trapping(.param .align 8 .b8 args[56])
{
  trap;
}
)";

class WorkerGpuTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ofstream(path()) << ptx_head << chain(64) << chain(256) << chain(512) << mishaps;
    WorkerOptions options;
    options.case_timeout = 3s;
    auto started = must(Worker::start(options));
    worker_ = new Worker(std::move(started));
  }
  static void TearDownTestSuite() {
    delete worker_;
    std::filesystem::remove(path());
  }
  void SetUp() override { ASSERT_NE(worker_, nullptr); }

  static std::string path() { return ::testing::TempDir() + "worker_gpu_test.ptx"; }

  static Job chains() {
    Job job;
    job.id = "chain";
    job.cubin_path = path();
    job.kernels = {{64, "chain64"}, {256, "chain256"}, {512, "chain512"}};
    job.facts = {"seven"};
    job.launch.launches = 31;
    return job;
  }

  static Job mishap(const char* kernel) {
    Job job = chains();
    job.id = kernel;
    job.kernels = {{1, kernel}};
    return job;
  }

  // FMA has a latency of 4 cycles on every architecture since sm_70.
  static void expect_good() {
    const auto seen = must(worker_->run(chains()));
    ASSERT_THAT(seen.samples, SizeIs(3));
    const double slope =
        (median(sorted_finite(seen.samples[2].cycles)) - median(sorted_finite(seen.samples[0].cycles))) / (512 - 64);
    EXPECT_NEAR(slope, 4, 0.05);
    EXPECT_THAT(seen.samples[1].cycles, SizeIs(31));
    EXPECT_EQ(seen.facts.at("seven"), 7);
    EXPECT_GT(seen.clock.sm_mhz, 200);
    EXPECT_LT(seen.clock.sm_mhz, 4000);
  }

  static Error error_of(const Job& job) {
    const auto seen = worker_->run(job);
    return seen ? Error{"none", "it ran", ""} : seen.error();
  }

  static Worker* worker_;
};

Worker* WorkerGpuTest::worker_ = nullptr;

TEST_F(WorkerGpuTest, StatesTheDevice) {
  const DeviceFacts& device = worker_->device();
  EXPECT_THAT(device.slug, HasSubstr("nvidia"));
  EXPECT_GT(device.sms, 0);
  EXPECT_GT(device.l2_bytes, 0);
  EXPECT_GT(device.sm_clock_max_mhz, 0);
  EXPECT_FALSE(device.driver.empty());
  RecordProperty("device", device.name + ", " + device.arch + ", " + device.chip + ", driver " + device.driver +
                               ", ecc " + device.ecc + ", counters " + counters_in_words(worker_->counters_missing()));
}

TEST_F(WorkerGpuTest, MeasuresAKnownChain) { expect_good(); }

TEST_F(WorkerGpuTest, MeasuresAClockNearTheOneThatIsRequested) {
  const auto seen = must(worker_->run(chains()));
  EXPECT_LE(seen.clock.sm_mhz, worker_->device().sm_clock_max_mhz * 1.1) << "an H100 ran at 2100 instead of 1980 MHz";
  EXPECT_GE(seen.clock.sm_mhz, worker_->device().sm_clock_max_mhz * 0.3);
}

TEST_F(WorkerGpuTest, ItsTimerAgreesWithTheHostsClock) {
  const auto seen = must(worker_->run(chains()));
  EXPECT_GE(seen.timer.seconds, 0.09) << "since the device was opened";
  EXPECT_NEAR(seen.timer.ratio, 1, 1e-3);
  EXPECT_FALSE(seen.timer.differs());
  EXPECT_EQ(worker_->timer(), seen.timer);
}

TEST_F(WorkerGpuTest, MeasuresOnEverySmWithClustersAndSharedMemory) {
  Job job = chains();
  job.launch.blocks_per_sm = 1;
  job.launch.warps = 4;
  job.launch.shared_bytes = 64 << 10;
  job.data.cold = true;
  job.data.fill = Fill::Lanes;
  const auto seen = must(worker_->run(job));
  EXPECT_THAT(seen.samples[2].cycles, Each(AllOf(Ge(2048), Le(20'000))));
  EXPECT_THAT(seen.samples[2].longest, IsEmpty());

  job.longest = true;
  const auto again = must(worker_->run(job));
  for (const Series& series : again.samples) {
    ASSERT_EQ(series.longest.size(), series.cycles.size());
    for (std::size_t i = 0; i < series.cycles.size(); ++i) EXPECT_GE(series.longest[i], series.cycles[i]);
  }
}

TEST_F(WorkerGpuTest, AnIllegalAddressFaultsAlone) {
  const Error error = error_of(mishap("illegal"));
  EXPECT_EQ(error.code, "fault");
  EXPECT_THAT(error.text, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  expect_good();
}

TEST_F(WorkerGpuTest, ATrapFaultsAlone) {
  EXPECT_EQ(error_of(mishap("trapping")).code, "fault");
  expect_good();
}

TEST_F(WorkerGpuTest, AnEndlessLoopIsKilled) {
  const Error error = error_of(mishap("endless"));
  EXPECT_EQ(error.code, "watchdog") << error.text;
  expect_good();
}

TEST_F(WorkerGpuTest, AnOverLargeLaunchNamesTheLimit) {
  const pid_t pid = worker_->pid();
  Job job = chains();
  job.launch.warps = 64;
  EXPECT_EQ(error_of(job).code, "launch");
  EXPECT_THAT(error_of(job).text, HasSubstr("1024 threads"));
  job = chains();
  job.launch.shared_bytes = 1 << 20;
  EXPECT_EQ(error_of(job).code, "launch");
  job = chains();
  job.data.bytes = 1LL << 50;
  EXPECT_EQ(error_of(job).code, "memory");
  expect_good();
  EXPECT_EQ(worker_->pid(), pid);
}

TEST_F(WorkerGpuTest, AKillFromOutsideCostsAtMostItsCase) {
  kill(worker_->pid(), SIGKILL);
  // The job may reach the process before the signal does and is then lost with it.
  const auto lost = worker_->run(chains());
  if (!lost) {
    EXPECT_EQ(lost.error().code, "worker-died");
  }
  expect_good();
}

}  // namespace
}  // namespace warpclock

// This program is its own worker, and its own compiler: both are /proc/self/exe with an argument.
int main(int argc, char** argv) {
  if (const auto status = warpclock::compiler_process(argc, argv)) return *status;
  if (argc == 2 && std::string_view(argv[1]) == "worker") return warpclock::worker_main(true, 0);
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
