#include "gpu/launch/runner.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <thread>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/launch/clock.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

// A kernel named "k<N>": each of its windows takes 10 + 4 N cycles, and it writes N to its first fact.
CUresult ideal_kernel(const FakeGpu::Launch& launch) {
  const unsigned n = static_cast<unsigned>(std::stoul(launch.kernel.substr(1)));
  auto* clocks = reinterpret_cast<std::uint64_t*>(launch.args.clocks);
  for (unsigned w = 0; w < launch.blocks * launch.threads / 32; ++w) {
    clocks[2 * w] = 5000;
    clocks[2 * w + 1] = 5010 + 4 * n;
  }
  reinterpret_cast<std::uint32_t*>(launch.args.facts)[0] += n;
  return CUDA_SUCCESS;
}

Expected<std::unique_ptr<Counters>> no_counters(CUctx_st*) { return fail("counters-absent", "no CUPTI in this test"); }

class FakeCounters : public Counters {
 public:
  Expected<std::vector<CounterValues>> collect(const std::vector<std::string>& names,
                                               const std::vector<CountedLaunch>& launches) override {
    std::vector<CounterValues> all(launches.size());
    for (const std::string& name : names) {
      for (std::size_t i = 0; i < launches.size(); ++i) {
        WARPCLOCK_TRY(launches[i].prepare());
        WARPCLOCK_TRY(launches[i].launch());
        all[i][name] = 42 + static_cast<double>(i);
      }
    }
    return all;
  }
  std::string chip() const override { return "GF900"; }
};

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    std::ofstream(cubin_) << "image";
    gpu_.on_launch = ideal_kernel;
    job_.id = "a/b";
    job_.cubin_path = cubin_;
    job_.kernels = {{16, "k16"}, {64, "k64"}, {128, "k128"}};
    job_.data.bytes = 4096;
    job_.launch.launches = 15;
  }
  ~RunnerTest() override { std::filesystem::remove(cubin_); }

  Expected<Observation> run(Runner::OpenCounters counters = no_counters) {
    if (!runner_) runner_ = WARPCLOCK_TRY(Runner::open(FakeGpu::driver(), std::move(counters)));
    return runner_->run(job_);
  }

  FakeGpu gpu_;
  /// Bytes of each read-back, without those of the clock.
  [[nodiscard]] std::vector<std::size_t> read_back() const {
    std::vector<std::size_t> all = gpu_.read_back;
    std::erase(all, sizeof(ClockTicks));
    return all;
  }

  std::string cubin_ = testing::TempDir() + "runner_test." + std::to_string(getpid()) + ".cubin";
  Job job_;
  std::unique_ptr<Runner> runner_;
};

TEST_F(RunnerTest, SamplesEveryRepeatCount) {
  const auto seen = must(run());
  ASSERT_THAT(seen.samples, SizeIs(3));
  EXPECT_EQ(seen.samples[0].n, 16);
  EXPECT_THAT(seen.samples[0].cycles, AllOf(SizeIs(15), Each(74.0)));
  EXPECT_THAT(seen.samples[1].cycles, AllOf(SizeIs(15), Each(266.0)));
  EXPECT_THAT(seen.samples[2].cycles, AllOf(SizeIs(15), Each(522.0)));
  EXPECT_DOUBLE_EQ(seen.clock.sm_mhz, 1500);
}

TEST_F(RunnerTest, AClockThatMovesHasARange) {
  EXPECT_EQ(must(run()).clock.sm_high_mhz, 0);
  gpu_.on_launch = [this](const FakeGpu::Launch& launch) { return gpu_.sm_mhz = 1600, ideal_kernel(launch); };
  const auto seen = must(run());
  EXPECT_EQ(seen.clock.sm_low_mhz, 1500);
  EXPECT_EQ(seen.clock.sm_high_mhz, 1600);
  EXPECT_GT(seen.clock.sm_mhz, 1500);
  EXPECT_LT(seen.clock.sm_mhz, 1600);
}

TEST_F(RunnerTest, ClockAndEnergyOfALoadThatLastsBeginAfterItsFirstRound) {
  int asked = 0;
  const auto read_energy = [&asked]() -> std::optional<double> { return ++asked, std::nullopt; };
  runner_ = must(Runner::open(FakeGpu::driver(), no_counters, load_cublas, read_energy));
  gpu_.on_launch = [this](const FakeGpu::Launch& launch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(4));  // the first round is longer than a reading is shared
    return gpu_.sm_mhz = 1700, ideal_kernel(launch);
  };
  const auto seen = must(run());
  EXPECT_EQ(asked, 1);
  EXPECT_DOUBLE_EQ(seen.clock.sm_mhz, 1700);
  EXPECT_EQ(seen.clock.sm_low_mhz, 0) << "it did not move any more";
  EXPECT_FALSE(mean_power_w(seen.clock));
  job_.data.cold = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(asked, 1) << "the sweeps of L2 would count";
}

TEST_F(RunnerTest, PowerOfEachRoundIsKeptIfTheJobAsksForEnergy) {
  const std::int64_t begun = host_ns();
  const auto read_energy = [begun]() -> std::optional<double> {
    return static_cast<double>((host_ns() - begun) / 20'000'000) * 6;  // steps of 20 ms, 300 W
  };
  runner_ = must(Runner::open(FakeGpu::driver(), no_counters, load_cublas, read_energy));
  gpu_.on_launch = [](const FakeGpu::Launch& launch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    return ideal_kernel(launch);
  };
  job_.energy = true;
  job_.launch.launches = 18;
  job_.kernels = {job_.kernels[0]};
  const auto seen = must(run());
  ASSERT_EQ(seen.samples.size(), 1);
  ASSERT_EQ(seen.samples[0].watts.size(), 2);
  EXPECT_NEAR(seen.samples[0].watts[0], 300, 30);
  EXPECT_NEAR(seen.samples[0].window_s[0], 0.04 / (job_.launch.warmups + 1), 0.02);
  EXPECT_EQ(seen.samples[0].blocks, job_.launch.blocks);
  EXPECT_EQ(seen.clock.energy_s, 0) << "the energy of all rounds together is another";
}

TEST_F(RunnerTest, ATimerThatDiffersFromTheHostsClockIsSeen) {
  gpu_.timer_ratio = 1.05;
  const auto seen = must(run());
  EXPECT_GE(seen.timer.seconds, 0.09);
  EXPECT_NEAR(seen.timer.ratio, 1.05, 0.01);
  EXPECT_TRUE(seen.timer.differs());
  EXPECT_EQ(seen.clock.timer_ratio, seen.timer.ratio);
}

TEST_F(RunnerTest, AQuietGpuIsNotShared) {
  const auto seen = must(run());
  EXPECT_FALSE(shared_sign(seen.clock, seen.samples));
  EXPECT_THAT(runner_->others(), IsEmpty());
  EXPECT_LT(runner_->wait_us(), foreign_wait_us);
  EXPECT_LT(runner_->pause_us(), foreign_pause_us);
}

TEST_F(RunnerTest, ASliceOfAnotherProcessIsSeen) {
  ASSERT_TRUE(run());
  gpu_.others_slice = std::chrono::milliseconds(2);
  const auto seen = must(run());
  EXPECT_GE(seen.clock.wait_us, foreign_wait_us);
  EXPECT_TRUE(shared_sign(seen.clock, seen.samples));
  runner_.reset();
  ASSERT_TRUE(run());
  EXPECT_GE(runner_->wait_us(), foreign_wait_us) << "at the start too";
}

TEST_F(RunnerTest, AKernelThatStoodStillIsSeen) {
  gpu_.pause_ns = 2'400'000;
  const auto seen = must(run());
  EXPECT_EQ(seen.clock.pause_us, 2400);
  EXPECT_TRUE(shared_sign(seen.clock, seen.samples));
  EXPECT_EQ(runner_->pause_us(), 2400) << "at the start too";
}

TEST_F(RunnerTest, RunsTwoRoundsInOppositeOrder) {
  job_.launch.launches = 3;
  ASSERT_TRUE(run());
  const auto order = mapped(gpu_.launches, [](const auto& launch) { return launch.kernel; });
  EXPECT_THAT(order, ElementsAre("k16", "k16", "k16", "k64", "k64", "k64", "k128", "k128", "k128",  // one is discarded
                                 "k128", "k128", "k64", "k64", "k16", "k16"));
}

TEST_F(RunnerTest, AKernelWithLaunchesOfItsOwnHasNoOthers) {
  job_.launch.launches = 3;
  job_.kernels[1].launches = 2;
  const auto seen = must(run());
  const auto order = mapped(gpu_.launches, [](const auto& launch) { return launch.kernel; });
  EXPECT_THAT(order,
              ElementsAre("k16", "k16", "k16", "k64", "k128", "k128", "k128", "k128", "k128", "k64", "k16", "k16"));
  EXPECT_THAT(seen.samples[1].cycles, SizeIs(2));
}

TEST_F(RunnerTest, EvenNumbersOfLaunchesAreSplitInHalf) {
  job_.launch.launches = 2;
  EXPECT_THAT(must(run()).samples[2].cycles, SizeIs(2));
  EXPECT_EQ(gpu_.launches.front().kernel, "k16");
  EXPECT_EQ(gpu_.launches.back().kernel, "k16");
  EXPECT_THAT(gpu_.launches, SizeIs(12));
}

TEST_F(RunnerTest, DiscardsTheFirstLaunchOfARound) {
  job_.kernels = {{16, "k16"}};
  job_.launch.launches = 1;
  int launch_number = 0;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    ideal_kernel(launch);
    if (launch_number++ == 0) reinterpret_cast<std::uint64_t*>(launch.args.clocks)[1] += 1000;
    return CUDA_SUCCESS;
  };
  EXPECT_THAT(must(run()).samples[0].cycles, ElementsAre(74.0));
}

TEST_F(RunnerTest, PassesTheContractsArguments) {
  job_.launch.blocks_per_sm = 2;
  job_.launch.warps = 4;
  job_.launch.warmups = 3;
  job_.launch.cluster = 2;
  job_.launch.shared_bytes = 65536;
  ASSERT_TRUE(run());
  const auto& launch = gpu_.launches.front();
  EXPECT_EQ(launch.blocks, 8U);
  EXPECT_EQ(launch.threads, 128U);
  EXPECT_EQ(launch.cluster, 2U);
  EXPECT_EQ(launch.shared_bytes, 65536U);
  EXPECT_EQ(launch.args.passes, 4U);
  EXPECT_EQ(launch.args.zero, 0U);
  EXPECT_EQ(launch.args.data_bytes, 4096U);
  EXPECT_EQ(gpu_.function_attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES], 65536);
  EXPECT_FALSE(gpu_.function_attributes.contains(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED));
}

TEST_F(RunnerTest, AsksForLargeClusters) {
  job_.launch.blocks = 16;
  job_.launch.cluster = 16;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.function_attributes[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED], 1);
}

TEST_F(RunnerTest, CountsJobsInOneSession) {
  job_.counters = {"a.sum"};
  job_.timed = false;
  Job other = job_;
  other.kernels = {{32, "k32"}};
  other.data.bytes = 8192;
  other.at = 7;
  job_.counted_with = {other};
  const auto seen = run([](CUctx_st*) { return std::make_unique<FakeCounters>(); });
  ASSERT_TRUE(seen);
  ASSERT_THAT(seen->counted, SizeIs(4)) << "three kernels, and one of the job counted with them";
  EXPECT_EQ(seen->counted[3].at("a.sum"), 45);
  EXPECT_EQ(gpu_.launches.back().kernel, "k32");
  EXPECT_EQ(gpu_.launches.back().args.data_bytes, 8192U);
  EXPECT_EQ(gpu_.launches.back().args.at, 7U);
  job_.counted_with[0].counters = {"b.sum"};
  EXPECT_EQ(run().error().code, "launch");
}

TEST_F(RunnerTest, CountsKernelsTogether) {
  job_.counters = {"a.sum"};
  job_.timed = false;
  job_.prepared = false;
  job_.counted_together = 2;
  job_.kernels = {{16, "k16"}, {32, "k32"}, {16, "k16"}, {32, "k32"}};
  job_.kernels[1].blocks_per_sm = 1;
  const auto open = [](CUctx_st*) { return std::make_unique<FakeCounters>(); };
  EXPECT_THAT(must(run(open)).counted, SizeIs(2));
  ASSERT_THAT(gpu_.launches, SizeIs(4));
  EXPECT_EQ(gpu_.launches[0].blocks, 1U);
  EXPECT_EQ(gpu_.launches[1].blocks, 4U) << "one on each SM";
  EXPECT_EQ(gpu_.launches[1].kernel, "k32");
  job_.kernels.pop_back();
  EXPECT_EQ(run(open).error().code, "launch");
  job_.counted_together = 0;
  EXPECT_EQ(run(open).error().code, "launch");
}

// A clock reading takes as long as a short job.
TEST_F(RunnerTest, JobsQueuedAtOnceShareAClockReading) {
  ASSERT_TRUE(run());
  int before = gpu_.clock_launches;
  ASSERT_TRUE(run());
  EXPECT_GE(gpu_.clock_launches, before + 2);
  job_.at_once = true;
  before = gpu_.clock_launches;
  constexpr int jobs = 1000;
  for (int i = 0; i < jobs; ++i) {
    EXPECT_NEAR(must(run()).clock.sm_mhz, 1500, 1);
  }
  EXPECT_LT(gpu_.clock_launches, before + jobs / 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(25));  // longer than a reading is shared
  before = gpu_.clock_launches;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.clock_launches, before + 1);
}

TEST_F(RunnerTest, JobsThatShareAKernelHaveItTheirOwnWay) {
  job_.counters = {"a.sum"};
  job_.timed = false;
  job_.prepared = false;
  job_.kernels = {{32, "k32"}, {32, "k32"}};
  job_.kernels[1].further_passes = 64;
  job_.launch.carveout = 14;
  Job other = job_;
  other.launch.carveout = 100;
  job_.counted_with = {other};
  gpu_.launches.clear();
  ASSERT_TRUE(run([](CUctx_st*) { return std::make_unique<FakeCounters>(); }));
  std::vector<int> carveouts;
  std::vector<std::uint32_t> passes;
  for (const auto& launch : gpu_.launches) {
    carveouts.push_back(launch.carveout);
    passes.push_back(launch.args.passes);
  }
  EXPECT_THAT(carveouts, ElementsAre(14, 14, 100, 100));
  const auto usual = static_cast<std::uint32_t>(job_.launch.warmups) + 1;
  EXPECT_THAT(passes, ElementsAre(usual, usual + 64, usual, usual + 64));
}

TEST_F(RunnerTest, SetsAPartOfL2AsideForAJobWhoseAccessesPersistAndForNoOther) {
  ASSERT_TRUE(run());
  EXPECT_TRUE(gpu_.limits.empty());
  EXPECT_EQ(gpu_.launches.back().policy.num_bytes, 0U);
  job_.launch.persisting = 2048;
  job_.launch.hit_ratio = 60;
  ASSERT_TRUE(run());
  const CUaccessPolicyWindow& policy = gpu_.launches.back().policy;
  EXPECT_EQ(policy.base_ptr, reinterpret_cast<void*>(gpu_.launches.back().args.data));
  EXPECT_EQ(policy.num_bytes, 2048U);
  EXPECT_FLOAT_EQ(policy.hitRatio, 0.6F);
  EXPECT_EQ(policy.hitProp, CU_ACCESS_PROPERTY_PERSISTING);
  EXPECT_EQ(policy.missProp, CU_ACCESS_PROPERTY_NORMAL);
  EXPECT_EQ(gpu_.limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE], std::size_t{1} << 19);
  job_.launch.persisting = 0;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE], 0U);
}

TEST_F(RunnerTest, RefusesAWindowThatTheDeviceDoesNotHave) {
  job_.launch.persisting = (1 << 20) + 1;
  const auto seen = run();
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, "launch");
  EXPECT_THAT(seen.error().text, HasSubstr("1048577 bytes; the device has 1048576"));
}

TEST_F(RunnerTest, FactsAreTheLargestRepeatCountsOfOneLaunch) {
  job_.facts = {"count", "other"};
  EXPECT_THAT(must(run()).facts, ElementsAre(testing::Pair("count", 128.0), testing::Pair("other", 0.0)));
}

TEST_F(RunnerTest, TheClockThatAKernelMeasuredIsThatOfTheRow) {
  const double around = must(run()).clock.sm_mhz;
  ASSERT_NE(around, 128);
  job_.facts = {sm_mhz_fact};
  const Observation seen = must(run());
  EXPECT_EQ(seen.clock.sm_mhz, 128);
  EXPECT_TRUE(seen.clock.in_window);
  job_.facts = {"other", sm_mhz_fact};
  const Observation none = must(run());
  EXPECT_EQ(none.clock.sm_mhz, around) << "it measured none";
  EXPECT_FALSE(none.clock.in_window);
}

TEST_F(RunnerTest, RefillsTheDataBeforeEachJob) {
  job_.data.fill = Fill::Lanes;
  std::vector<std::uint32_t> first_words;
  int launch_number = 0;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    auto* data = reinterpret_cast<std::uint32_t*>(launch.args.data);
    if (launch_number++ % 48 == 0) first_words.insert(first_words.end(), {data[0], data[1], data[1023]});
    std::fill_n(data, 1024, 0xdeadU);
    return ideal_kernel(launch);
  };
  ASSERT_TRUE(run());
  ASSERT_EQ(launch_number, 51);
  launch_number = 0;
  ASSERT_TRUE(run());
  EXPECT_THAT(first_words, ElementsAre(0, 1, 1023, 0xdead, 0xdead, 0xdead, 0, 1, 1023, 0xdead, 0xdead, 0xdead));
}

TEST_F(RunnerTest, SweepsFourTimesL2BeforeEachColdLaunch) {
  job_.kernels = {{16, "k16"}};
  job_.launch.launches = 1;
  job_.data.cold = true;
  ASSERT_TRUE(run());
  EXPECT_THAT(gpu_.sweeps, ElementsAre(1 << 20, 1 << 20));  // words: 4 x 1 MiB, for each of two launches
  gpu_.sweeps.clear();
  job_.data.cold = false;
  ASSERT_TRUE(run());
  EXPECT_THAT(gpu_.sweeps, IsEmpty());
}

TEST_F(RunnerTest, ReleasesPersistingLinesWhereThereAreSome) {
  job_.kernels = {{16, "k16"}};
  job_.launch.launches = 1;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.resets, 1);
  job_.data.cold = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.resets, 4);  // and before each of the two launches
  gpu_.persistence = CUDA_ERROR_NOT_SUPPORTED;
  EXPECT_TRUE(run());
  gpu_.persistence = CUDA_ERROR_INVALID_CONTEXT;
  EXPECT_EQ(run().error().code, "cuda");
}

TEST_F(RunnerTest, NamesTheLimitOfAnIllegalShape) {
  job_.launch.warps = 64;
  EXPECT_THAT(failure_of(run()), IsError("launch", HasSubstr("1024 threads")));
  EXPECT_THAT(gpu_.launches, IsEmpty());
}

TEST_F(RunnerTest, ARefusedLaunchIsTheJobsErrorAlone) {
  gpu_.on_launch = [](const FakeGpu::Launch&) { return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; };
  EXPECT_EQ(failure_of(run()).code, "launch");
  gpu_.on_launch = ideal_kernel;
  EXPECT_TRUE(run());
}

TEST_F(RunnerTest, AStickyErrorIsAFault) {
  gpu_.on_launch = [&](const FakeGpu::Launch&) {
    gpu_.broken = CUDA_ERROR_ILLEGAL_ADDRESS;
    return CUDA_SUCCESS;
  };
  EXPECT_THAT(failure_of(run()), IsError("fault", HasSubstr("700")));
}

TEST_F(RunnerTest, AKernelThatReadsNoClockIsAnError) {
  gpu_.on_launch = [](const FakeGpu::Launch&) { return CUDA_SUCCESS; };
  EXPECT_EQ(failure_of(run()).code, "clocks");
}

TEST_F(RunnerTest, TooLittleMemoryIsTheJobsErrorAlone) {
  job_.data.bytes = 2LL << 30;
  EXPECT_EQ(failure_of(run()).code, "memory");
  job_.data.bytes = 4096;
  EXPECT_TRUE(run());
}

TEST_F(RunnerTest, WithoutAPtxCompilerTheClockIsUnknown) {
  gpu_.compiles_ptx = false;
  const auto seen = must(run());
  EXPECT_EQ(seen.clock.sm_mhz, 0);
  EXPECT_THAT(seen.samples[0].cycles, SizeIs(15));
}

TEST_F(RunnerTest, MissingFilesAndSymbolsAreErrors) {
  job_.kernels = {{16, "missing"}};
  EXPECT_EQ(run().error().code, "cuda");
  job_.cubin_path = "/nonexistent.cubin";
  EXPECT_EQ(run().error().code, "io");
  job_.kernels.clear();
  EXPECT_EQ(run().error().code, "launch");
}

TEST_F(RunnerTest, UnloadsTheModulesOfAJobThatRunsOnce) {
  ASSERT_TRUE(run());
  EXPECT_THAT(gpu_.unloaded, IsEmpty());
  job_.once = true;
  ASSERT_TRUE(run());
  EXPECT_THAT(gpu_.unloaded, SizeIs(1));
  const std::size_t loaded = gpu_.loaded.size();
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.loaded.size(), loaded + 1);
}

TEST_F(RunnerTest, MoreModulesThanAreLoadedAtATimeAreAnError) {
  job_.kernels.clear();
  for (int i = 0; i < 2049; ++i) job_.kernels.push_back({16, "k16", 0, cubin_ + std::to_string(i)});
  EXPECT_THAT(failure_of(run()), IsError("launch", HasSubstr("2049 modules")))
      << "the first kernels' modules would be gone by the launch";
}

TEST_F(RunnerTest, CountsAtTheLargestRepeatCountAfterTheTimedLaunches) {
  job_.counters = {"a.sum"};
  const auto seen =
      run([](CUctx_st*) -> Expected<std::unique_ptr<Counters>> { return std::make_unique<FakeCounters>(); });
  ASSERT_TRUE(seen);
  EXPECT_THAT(seen->counters, ElementsAre(testing::Pair("a.sum", 42.0)));
  EXPECT_EQ(seen->counters_missing, "");
  ASSERT_THAT(gpu_.launches, SizeIs(3 * 17 + 2));  // the same kernel runs once before the counted launch
  EXPECT_EQ(gpu_.launches.back().kernel, "k128");
  EXPECT_EQ(runner_->device().chip, "GF900");
  EXPECT_EQ(runner_->counters_missing(), "");
}

TEST_F(RunnerTest, CountsAloneWhenTheJobIsNotTimed) {
  job_.counters = {"a.sum", "b.sum"};
  job_.timed = false;
  job_.data.cold = true;
  const auto seen =
      run([](CUctx_st*) -> Expected<std::unique_ptr<Counters>> { return std::make_unique<FakeCounters>(); });
  ASSERT_TRUE(seen);
  EXPECT_THAT(seen->counters, IsEmpty());
  ASSERT_THAT(seen->counted, SizeIs(3)) << "each kernel by itself, in the job's order";
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen->counted[i].at("a.sum"), 42 + static_cast<double>(i));
    EXPECT_EQ(gpu_.launches[i].kernel, job_.kernels[i].symbol);
  }
  EXPECT_THAT(seen->samples, IsEmpty());
  EXPECT_THAT(gpu_.launches, SizeIs(6)) << "two metrics, which the fake takes one after the other";
  EXPECT_THAT(gpu_.sweeps, SizeIs(6));
}

TEST_F(RunnerTest, RefusedCountersLeaveTheRest) {
  job_.counters = {"a.sum"};
  const auto seen = must(run());
  EXPECT_EQ(seen.counters_missing, "no CUPTI in this test");
  EXPECT_THAT(seen.counters, IsEmpty());
  EXPECT_THAT(seen.samples, SizeIs(3));
  EXPECT_EQ(runner_->counters_missing(), "no CUPTI in this test");
}

TEST_F(RunnerTest, StatesTheDevice) {
  ASSERT_TRUE(run());
  const DeviceFacts& device = runner_->device();
  EXPECT_EQ(device.name, "NVIDIA Fake 9000");
  EXPECT_EQ(device.slug, "nvidia-fake-9000");
  EXPECT_EQ(device.arch, "sm_90a");
  EXPECT_EQ(device.sms, 4);
  EXPECT_EQ(device.l2_bytes, 1 << 20);
  EXPECT_EQ(device.sm_clock_max_mhz, 1980);
  EXPECT_EQ(device.ecc, "unknown");
  EXPECT_EQ(device.driver, "CUDA 13.0");
}

TEST_F(RunnerTest, AGreenContextIsWhatItsBlocksSee) {
  runner_ = must(Runner::open(FakeGpu::driver(), no_counters, load_cublas, {}, 3));
  job_.launch.blocks_per_sm = 2;
  ASSERT_TRUE(run());
  const DeviceFacts& device = runner_->device();
  EXPECT_EQ(device.sms, 3);
  EXPECT_EQ(device.parent_sms, 4);
  EXPECT_EQ(device.partition, "green context");
  EXPECT_EQ(device.name, "NVIDIA Fake 9000, 3 of 4 SMs");
  EXPECT_EQ(device.slug, "nvidia-fake-9000-3-of-4-sms");
  EXPECT_EQ(gpu_.launches.front().blocks, 6U) << "each of its SMs has two";
  EXPECT_EQ(gpu_.green, 1);
  const auto in = gpu_.allocated_in;
  EXPECT_TRUE(std::ranges::all_of(in, [&](CUcontext each) { return each == in.front(); }));
  EXPECT_NE(in.front(), reinterpret_cast<CUcontext>(0x1000)) << "the primary context is the whole GPU's";
  runner_.reset();
  EXPECT_EQ(gpu_.green, 0);
  EXPECT_EQ(gpu_.allocated, 0U);
}

TEST_F(RunnerTest, RefusesAGreenContextThatTheGpuDoesNotHave) {
  const auto refused = [](const Driver& driver, int sms) {
    return failure_of(Runner::open(driver, no_counters, load_cublas, {}, sms));
  };
  EXPECT_THAT(refused(FakeGpu::driver(), 5), IsError("usage", HasSubstr("the GPU has 4 SMs: give 1 to 4")));
  Driver old = FakeGpu::driver();
  old.cuGreenCtxCreate = nullptr;
  EXPECT_THAT(refused(old, 2), IsError("no-driver", HasSubstr("CUDA 12.4")));
  EXPECT_EQ(gpu_.green, 0);
  gpu_.compiles_ptx = false;
  EXPECT_THAT(refused(FakeGpu::driver(), 2), IsError("clock", HasSubstr("counting the SMs")));
  EXPECT_EQ(gpu_.green, 0);
  EXPECT_EQ(gpu_.allocated, 0U);
}

TEST_F(RunnerTest, GivesAllMemoryBack) {
  ASSERT_TRUE(run());
  EXPECT_GT(gpu_.allocated, 0U);
  runner_.reset();
  EXPECT_EQ(gpu_.allocated, 0U);
  EXPECT_EQ(gpu_.unloaded.size(), gpu_.loaded.size());
}

TEST_F(RunnerTest, LaunchesInAGraphCooperativelyOrDependently) {
  job_.launch.by = LaunchBy::Graph;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.graphs, 6);  // two rounds of three kernels
  EXPECT_NE(gpu_.launches.front().stream, nullptr);
  job_.launch.by = LaunchBy::Cooperative;
  ASSERT_TRUE(run());
  EXPECT_TRUE(gpu_.launches.back().cooperative);
  EXPECT_EQ(gpu_.launches.back().stream, nullptr);
  job_.launch.by = LaunchBy::Dependent;
  job_.launch.cluster = 2;
  job_.launch.blocks = 2;
  ASSERT_TRUE(run());
  EXPECT_TRUE(gpu_.launches.back().dependent);
  EXPECT_FALSE(gpu_.launches.back().cooperative);
  EXPECT_EQ(gpu_.launches.back().cluster, 2U);
}

// Nothing may be queued between the launches of a batch, but each must have facts that begin at zero.
TEST_F(RunnerTest, GivesEachLaunchFactsOfItsOwn) {
  job_.facts = {"n"};
  std::set<std::uint64_t> places;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    places.insert(launch.args.facts);
    return ideal_kernel(launch);
  };
  const auto seen = must(run());
  EXPECT_EQ(places.size(), 9U);  // eight launches and a discarded one, in the longer round
  EXPECT_EQ(seen.facts.at("n"), 128);
}

// Kernels of several shapes: 1, 4 and 2 warps in 2 blocks.
class RunnerAtOnceTest : public RunnerTest {
 protected:
  RunnerAtOnceTest() {
    job_.at_once = true;
    job_.launch.blocks = 2;
    job_.launch.launches = 3;
    job_.kernels[1].warps = 4;
    job_.kernels[2].warps = 2;
  }
  static constexpr std::size_t slices = 2 * 16 + 2 * 64 + 2 * 32;  // bytes of one launch of each
};

TEST_F(RunnerAtOnceTest, ReadsARoundOfAllKernelsBackTogether) {
  const auto seen = must(run());
  EXPECT_THAT(seen.samples[0].cycles, AllOf(SizeIs(3), Each(74.0)));
  EXPECT_THAT(seen.samples[1].cycles, AllOf(SizeIs(3), Each(266.0)));
  EXPECT_THAT(seen.samples[2].cycles, AllOf(SizeIs(3), Each(522.0)));
  EXPECT_THAT(read_back(), ElementsAre(4 * slices)) << "and no facts, for nobody asked for any";
  const auto order = mapped(gpu_.launches, [](const auto& launch) { return launch.kernel; });
  EXPECT_THAT(order, ElementsAre("k16", "k16", "k16", "k64", "k64", "k64", "k128", "k128", "k128",  //
                                 "k128", "k64", "k16"));
  gpu_.read_back.clear();
  job_.at_once = false;
  ASSERT_TRUE(run());
  EXPECT_THAT(read_back(), ElementsAre(3 * 32, 3 * 128, 3 * 64, 2 * 64, 2 * 128, 2 * 32)) << "one kernel at a time";
}

TEST_F(RunnerAtOnceTest, EachLaunchOfARoundHasAPlaceOfItsOwn) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  std::set<std::uint64_t> facts;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    const std::uint64_t bytes = std::uint64_t{launch.blocks} * launch.threads / 32 * 16;
    const auto* words = reinterpret_cast<const std::uint64_t*>(launch.args.clocks);
    EXPECT_THAT(std::span(words, bytes / 8), Each(0U));
    EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(launch.args.facts), 0U);
    places.emplace_back(launch.args.clocks, launch.args.clocks + bytes);
    facts.insert(launch.args.facts);
    return ideal_kernel(launch);
  };
  ASSERT_TRUE(run());
  ASSERT_THAT(places, SizeIs(12));
  EXPECT_EQ(facts.size(), 12U);
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LE(places[i - 1].second, places[i].first);
}

TEST_F(RunnerAtOnceTest, DiscardsTheFirstLaunchOfEachKernel) {
  job_.launch.launches = 2;
  std::set<std::string> seen_before;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    ideal_kernel(launch);
    if (seen_before.insert(launch.kernel).second) reinterpret_cast<std::uint64_t*>(launch.args.clocks)[1] += 1000;
    return CUDA_SUCCESS;
  };
  const auto seen = must(run());
  EXPECT_THAT(seen.samples[0].cycles, ElementsAre(74.0, 74.0));
  EXPECT_THAT(seen.samples[1].cycles, ElementsAre(266.0, 266.0));
  EXPECT_THAT(seen.samples[2].cycles, ElementsAre(522.0, 522.0));
}

TEST_F(RunnerAtOnceTest, EachLaunchOfAKernelHasItsAt) {
  job_.launch.launches = 5;
  job_.at = 7;
  job_.at_step = 100;
  std::map<std::string, std::vector<std::uint64_t>> at;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    at[launch.kernel].push_back(launch.args.at);
    return ideal_kernel(launch);
  };
  EXPECT_THAT(must(run()).samples[0].cycles, SizeIs(5));
  // The first kernel settles all lines beforehand. For the others only the first launch is discarded.
  EXPECT_THAT(at.at(job_.kernels[0].symbol), ElementsAre(7, 107, 207, 307, 407, 7, 107, 207, 307, 407));
  EXPECT_THAT(at.at(job_.kernels[1].symbol), ElementsAre(7, 7, 107, 207, 307, 407));
  EXPECT_THAT(at.at(job_.kernels[2].symbol), ElementsAre(7, 7, 107, 207, 307, 407));
}

TEST_F(RunnerAtOnceTest, AKernelAddsItsOwnToTheJobsAt) {
  job_.at = 7;
  job_.kernels[1].at = 30;
  job_.kernels[1].steps = false;
  job_.at_step = 100;
  std::map<std::string, std::set<std::uint64_t>> at;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    at[launch.kernel].insert(launch.args.at);
    return ideal_kernel(launch);
  };
  ASSERT_TRUE(run());
  EXPECT_THAT(at.at(job_.kernels[0].symbol), ElementsAre(7, 107, 207));
  EXPECT_THAT(at.at(job_.kernels[1].symbol), ElementsAre(37));
}

TEST_F(RunnerAtOnceTest, FactsAreTheLargestRepeatCountsWhereverItStands) {
  job_.facts = {"n"};
  std::swap(job_.kernels[0], job_.kernels[2]);
  EXPECT_EQ(must(run()).facts.at("n"), 128);
  EXPECT_THAT(read_back(), ElementsAre(4 * slices, 12 * 64));
}

TEST_F(RunnerAtOnceTest, PartsHaveAMostOfLaunches) {
  job_.launch.launches = 800;
  const auto seen = must(run());
  EXPECT_THAT(seen.samples[0].cycles, AllOf(SizeIs(800), Each(74.0)));
  EXPECT_THAT(seen.samples[1].cycles, AllOf(SizeIs(800), Each(266.0)));
  EXPECT_THAT(seen.samples[2].cycles, AllOf(SizeIs(800), Each(522.0)));
  constexpr std::size_t in_first = 401 * 32 + 401 * 128 + 222 * 64;  // 1,024 launches
  EXPECT_THAT(read_back(), Contains(in_first));
  EXPECT_THAT(read_back(), SizeIs(3));
}

TEST_F(RunnerAtOnceTest, PartsHaveAMostOfBytes) {
  job_.launch.blocks = 1 << 18;
  for (JobKernel& kernel : job_.kernels) kernel.warps = 4;  // 16 MiB for each launch
  job_.launch.launches = 1;
  EXPECT_THAT(must(run()).samples[2].cycles, ElementsAre(522.0));
  EXPECT_THAT(read_back(), ElementsAre(64U << 20, 32U << 20)) << "four launches of six, and two";
  gpu_.read_back.clear();
  job_.launch.blocks = 1 << 20;
  job_.launch.warps = 8;
  job_.kernels = {{16, "k16"}};
  ASSERT_TRUE(run());
  EXPECT_THAT(read_back(), ElementsAre(128U << 20, 128U << 20)) << "one that is larger than the most, by itself";
}

TEST_F(RunnerAtOnceTest, SweepsBeforeEachColdLaunch) {
  job_.data.cold = true;
  std::vector<std::size_t> sweeps_before;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    sweeps_before.push_back(gpu_.sweeps.size());
    return ideal_kernel(launch);
  };
  ASSERT_TRUE(run());
  ASSERT_THAT(sweeps_before, SizeIs(12));
  for (std::size_t i = 0; i < sweeps_before.size(); ++i) EXPECT_EQ(sweeps_before[i], i + 1);
}

TEST_F(RunnerAtOnceTest, ReadsWhatIsWrittenForPlacesOfTheLargestKernelAlone) {
  job_.places = Places::Written;
  gpu_.on_launch = [](const FakeGpu::Launch& launch) {
    auto* places = reinterpret_cast<std::uint32_t*>(launch.args.places);
    ++places[launch.kernel == "k128" ? 1 : 0];
    return ideal_kernel(launch);
  };
  EXPECT_THAT(must(run()).places, ElementsAre(0, 1)) << "of its second turn";
}

TEST_F(RunnerAtOnceTest, AGraphHoldsAllTurns) {
  job_.launch.by = LaunchBy::Graph;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.graphs, 1);
}

TEST_F(RunnerAtOnceTest, ErrorsNameTheShapes) {
  gpu_.on_launch = [](const FakeGpu::Launch& launch) {
    return launch.kernel == "k64" ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : ideal_kernel(launch);
  };
  auto seen = run();
  EXPECT_THAT(failure_of(seen), IsError("launch", HasSubstr("launching 2 blocks of 128 threads")));
  gpu_.on_launch = [&](const FakeGpu::Launch&) { return gpu_.broken = CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_SUCCESS; };
  seen = run();
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, "fault");
  EXPECT_THAT(seen.error().text,
              AllOf(HasSubstr("running what has 2 blocks of 32 threads"), HasSubstr("to 2 blocks of 128 threads")));
}

TEST_F(RunnerTest, KeepsTheMedianOfEachPlace) {
  job_.places = Places::Clocks;
  job_.launch.blocks = 4;
  int number = 0;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    ideal_kernel(launch);
    auto* clocks = reinterpret_cast<std::uint64_t*>(launch.args.clocks);
    clocks[2] = clocks[3] = 0;                              // the second place does not report
    clocks[5] += static_cast<std::uint64_t>(++number % 3);  // the third varies by one or two cycles between launches
    if (number % 3 != 0) clocks[6] = clocks[7] = 0;         // the fourth reports only in every third launch
    return CUDA_SUCCESS;
  };
  EXPECT_THAT(must(run()).places, ElementsAre(522, 0, 523, 522));
}

TEST_F(RunnerTest, ReadsWhatTheKernelWroteForEachPlace) {
  job_.places = Places::Written;
  gpu_.on_launch = [](const FakeGpu::Launch& launch) {
    auto* places = reinterpret_cast<std::uint32_t*>(launch.args.places);
    ++places[0];  // counts the launches of a batch
    places[2] = 7;
    return ideal_kernel(launch);
  };
  EXPECT_THAT(must(run()).places, ElementsAre(8, 0, 7));
}

TEST_F(RunnerTest, CountsFromFactsThatAreZero) {
  job_.counters = {"inst"};
  job_.timed = false;
  std::vector<std::uint32_t> before;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    before.push_back(*reinterpret_cast<std::uint32_t*>(launch.args.facts));
    return ideal_kernel(launch);
  };
  ASSERT_TRUE(run([](CUctx_st*) -> Expected<std::unique_ptr<Counters>> { return std::make_unique<FakeCounters>(); }));
  EXPECT_THAT(before, AllOf(SizeIs(6), Each(0U)));
}

// While the profiler is enabled, anything queued before a launch costs as much as the launch.
TEST_F(RunnerTest, PutsNothingBeforeCountedLaunchesThatNeedNotBePrepared) {
  job_.counters = {"inst"};
  job_.timed = false;
  job_.prepared = false;
  job_.kernels.assign(1500, {16, "k16"});
  int before = 0;
  gpu_.on_launch = [&](const FakeGpu::Launch& launch) {
    EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(launch.args.facts), 0U);
    before = gpu_.memsets;
    return ideal_kernel(launch);
  };
  ASSERT_TRUE(run([](CUctx_st*) -> Expected<std::unique_ptr<Counters>> { return std::make_unique<FakeCounters>(); }));
  const int until_then = before;
  ASSERT_TRUE(run());
  EXPECT_THAT(gpu_.launches, SizeIs(3000));
  EXPECT_LE(before - until_then, 3) << "the facts of 1,024 launches at a time";
}

}  // namespace
}  // namespace warpclock
