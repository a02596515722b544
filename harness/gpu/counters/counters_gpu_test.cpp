#include <gtest/gtest.h>

#include <memory>

#include "base/testing/matchers.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/driver.hpp"

namespace warpclock {
namespace {

// Each kernel reads `n` words four times. The same block, and so the same SM, reads the same words each time.
constexpr const char* source = R"(
#define READ_FOUR_TIMES(name, operation)                                                                         \
  extern "C" __global__ void name(unsigned* out, const unsigned* in, unsigned n) {                               \
    unsigned sum = 0, v;                                                                                         \
    for (int round = 0; round < 4; ++round)                                                                      \
      for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {             \
        asm volatile("ld.global." operation ".u32 %0, [%1];" : "=r"(v) : "l"(in + i));                           \
        sum += v;                                                                                                \
      }                                                                                                          \
    if (sum == 0x9e3779b9) out[threadIdx.x] = sum;                                                               \
  }
READ_FOUR_TIMES(read_ca, "ca")
READ_FOUR_TIMES(read_cg, "cg")
)";

const std::string l1_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const std::string l1_hits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum";
const std::string l2_reads = "lts__t_sectors_srcunit_tex_op_read.sum";
const std::string instructions = "smsp__inst_executed.sum";

class CountersOnTheGpu : public ::testing::Test {
 protected:
  using Values = std::map<std::string, double>;

  void SetUp() override {
    auto loaded = load_driver();
    if (!loaded) GTEST_SKIP() << loaded.error().text;
    driver_ = *loaded;
    if (driver_.cuInit(0) != CUDA_SUCCESS || driver_.cuDeviceGet(&device_, 0) != CUDA_SUCCESS) {
      GTEST_SKIP() << "no GPU";
    }
    call(driver_.cuDevicePrimaryCtxRetain(&context_, device_));
    call(driver_.cuCtxSetCurrent(context_));
    facts_ = must(device_facts(driver_, device_, nullptr));
    // 32 KiB per SM fit in every L1.
    words_ = static_cast<unsigned>(facts_.sms) * 8192;
    call(driver_.cuMemAlloc(&data_, words_ * 4));
    call(driver_.cuMemAlloc(&out_, 4096));
    evict_words_ = static_cast<std::size_t>(facts_.l2_bytes) / 2;
    call(driver_.cuMemAlloc(&evict_, evict_words_ * 4));
    call(driver_.cuMemsetD32Async(data_, 3, words_, nullptr));
    ASSERT_NO_FATAL_FAILURE(load());

    auto opened = Counters::open(context_);
    if (!opened) GTEST_SKIP() << opened.error().text;
    counters_ = std::move(*opened);
  }

  void TearDown() override {
    counters_.reset();
    if (module_ != nullptr) driver_.cuModuleUnload(module_);
    for (const CUdeviceptr memory : {data_, out_, evict_}) {
      if (memory != 0) driver_.cuMemFree(memory);
    }
    if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
  }

  void call(CUresult result) { ASSERT_EQ(result, CUDA_SUCCESS); }

  void load() {
    const auto arch = must(parse_arch(facts_.arch));
    const auto target = target_for(arch);
    ASSERT_TRUE(target) << target.error().text;
    CompileRequest request;
    request.unit = source;
    request.target = *target;
    const Compilation compiled = compile(request);
    ASSERT_EQ(compiled.status, Compilation::Status::Done) << compiled.log;
    call(driver_.cuModuleLoadData(&module_, compiled.image.c_str()));
    call(driver_.cuModuleGetFunction(&read_ca_, module_, "read_ca"));
    call(driver_.cuModuleGetFunction(&read_cg_, module_, "read_cg"));
  }

  Expected<void> wait() { return check(driver_, driver_.cuStreamSynchronize(nullptr), "waiting"); }

  Expected<void> launch(CUfunction kernel) {
    ++launches_;
    void* arguments[] = {&out_, &data_, &words_};
    CUlaunchConfig shape{};
    shape.gridDimX = static_cast<unsigned>(facts_.sms) * 4;
    shape.gridDimY = shape.gridDimZ = 1;
    shape.blockDimX = 256;
    shape.blockDimY = shape.blockDimZ = 1;
    WARPCLOCK_TRY(check(driver_, driver_.cuLaunchKernelEx(&shape, kernel, arguments, nullptr), "launching"));
    return wait();
  }

  Expected<void> evict() {
    WARPCLOCK_TRY(check(driver_, driver_.cuMemsetD32Async(evict_, 1, evict_words_, nullptr), "evicting"));
    return wait();
  }

  Values collect(const std::vector<std::string>& names, CUfunction kernel,
                 const std::function<Expected<void>()>& prepare = {}) {
    return must(counters_->collect(names, {{prepare, [&, kernel] { return launch(kernel); }}})).front();
  }

  double sectors() const { return 4.0 * words_ * 4 / 32; }

  Driver driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction read_ca_ = nullptr, read_cg_ = nullptr;
  CUdeviceptr data_ = 0, out_ = 0, evict_ = 0;
  unsigned words_ = 0;
  std::size_t evict_words_ = 0;
  int launches_ = 0;
  DeviceFacts facts_;
  std::unique_ptr<Counters> counters_;
};

TEST_F(CountersOnTheGpu, SeeReReadsHitL1UnlessTheyBypassIt) {
  const Values ca = collect({l1_hits, l1_sectors}, read_ca_);
  const Values cg = collect({l1_hits, l1_sectors}, read_cg_);
  EXPECT_DOUBLE_EQ(ca.at(l1_sectors), sectors());
  EXPECT_DOUBLE_EQ(cg.at(l1_sectors), sectors());
  EXPECT_NEAR(ca.at(l1_hits) / ca.at(l1_sectors), 0.75, 0.01) << "three of four reads";
  EXPECT_LT(cg.at(l1_hits) / cg.at(l1_sectors), 0.10);
}

TEST_F(CountersOnTheGpu, CountTheLaunchAndNotItsPreparation) {
  const auto busy = [&]() -> Expected<void> {
    for (int i = 0; i < 3; ++i) WARPCLOCK_TRY(launch(read_ca_));
    return {};
  };
  const std::vector<std::string> names = {l1_sectors, l2_reads, instructions};
  const Values plain = collect(names, read_cg_);
  const Values prepared = collect(names, read_cg_, busy);
  EXPECT_DOUBLE_EQ(prepared.at(l1_sectors), sectors());
  EXPECT_DOUBLE_EQ(prepared.at(instructions), plain.at(instructions));
  EXPECT_NEAR(prepared.at(l2_reads), plain.at(l2_reads), 0.02 * plain.at(l2_reads));
}

TEST_F(CountersOnTheGpu, FindTheCachesAsThePreparationLeftThem) {
  const std::vector<std::string> names = {"dram__bytes_read.sum"};
  if (!unknown_metrics(counters_->chip(), names).value_or(names).empty()) GTEST_SKIP() << "no DRAM counters here";
  const double bytes = words_ * 4.0;
  const Values cold = collect(names, read_cg_, [&] { return evict(); });
  const Values warm = collect(names, read_cg_, [&] { return launch(read_cg_); });
  EXPECT_GT(cold.at(names[0]), 0.9 * bytes);
  EXPECT_LT(warm.at(names[0]), 0.1 * bytes);
}

TEST_F(CountersOnTheGpu, RepeatTheLaunchOncePerPass) {
  // More metrics than fit in one pass.
  const std::vector<std::string> names = {"l1tex__t_sector_hit_rate.pct",
                                          "lts__t_sector_hit_rate.pct",
                                          "lts__t_sectors_op_read.sum",
                                          "lts__t_sectors_srcunit_tex_lookup_hit.sum",
                                          l1_sectors,
                                          "dram__bytes_read.sum",
                                          instructions,
                                          "sm__cycles_elapsed.max"};
  if (!unknown_metrics(counters_->chip(), names).value_or(names).empty()) GTEST_SKIP() << "a chip with other names";
  const auto passes = must(counter_passes(counters_->chip(), names));
  int prepared = 0;
  launches_ = 0;
  const Values values = collect(names, read_ca_, [&]() -> Expected<void> {
    ++prepared;
    return {};
  });
  EXPECT_GE(launches_, static_cast<int>(passes));
  EXPECT_EQ(launches_, prepared);
  EXPECT_EQ(values.size(), names.size());
}

TEST_F(CountersOnTheGpu, GiveTheSameAnswersManyTimesInOneProcess) {
  const Values first = collect({instructions, l1_sectors}, read_ca_);
  for (int i = 0; i < 30; ++i) {
    const Values again = collect({instructions, l1_sectors}, read_ca_);
    ASSERT_EQ(again, first) << "after " << i << " collections";
    ASSERT_DOUBLE_EQ(collect({l1_sectors, l2_reads}, read_cg_).at(l1_sectors), sectors());
  }
}

TEST_F(CountersOnTheGpu, CountManyLaunchesApart) {
  const Values ca = collect({instructions, l1_hits}, read_ca_), cg = collect({instructions, l1_hits}, read_cg_);
  ASSERT_NE(ca, cg);
  std::vector<CountedLaunch> launches;
  for (int i = 0; i < 150; ++i) {
    launches.push_back({[this] { return evict(); }, [this, i] { return launch(i % 3 == 0 ? read_ca_ : read_cg_); }});
  }
  const auto all = must(counters_->collect({instructions, l1_hits}, launches));
  ASSERT_EQ(all.size(), launches.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Values& alone = i % 3 == 0 ? ca : cg;
    EXPECT_DOUBLE_EQ(all[i].at(instructions), alone.at(instructions)) << i;
    EXPECT_EQ(all[i].at(l1_hits) > 0, i % 3 == 0) << i;
  }
}

TEST_F(CountersOnTheGpu, SurviveErrors) {
  const auto failed = counters_->collect({instructions}, {{{}, [] { return Expected<void>(fail("mine", "stop")); }}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "mine");
  const auto unprepared = counters_->collect(
      {instructions}, {{[] { return Expected<void>(fail("mine", "stop")); }, [&] { return launch(read_ca_); }}});
  ASSERT_FALSE(unprepared);
  EXPECT_EQ(unprepared.error().code, "mine");
  const auto unknown = counters_->collect({"nope__metric.sum"}, {{{}, [&] { return launch(read_ca_); }}});
  EXPECT_THAT(failure_of(unknown), IsError("counters-unknown", HasSubstr("nope__metric.sum")));
  EXPECT_DOUBLE_EQ(collect({l1_sectors}, read_ca_).at(l1_sectors), sectors());
}

}  // namespace
}  // namespace warpclock
