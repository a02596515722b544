#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/testing/matchers.hpp"
#include "gpu/launch/runner.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

Expected<std::unique_ptr<Counters>> refused(CUctx_st*) { return fail("counters-refused", "no permission here"); }

/// Runs each launch as often as CUPTI would with two passes.
class TwoPasses : public Counters {
 public:
  Expected<std::vector<CounterValues>> collect(const std::vector<std::string>& names,
                                               const std::vector<CountedLaunch>& launches) override {
    std::vector<CounterValues> all(launches.size());
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < launches.size(); ++i) {
        WARPCLOCK_TRY(launches[i].prepare());
        WARPCLOCK_TRY(launches[i].launch());
        for (const std::string& name : names) all[i][name] = 1000 + static_cast<double>(i);
      }
    }
    return all;
  }
  std::string chip() const override { return "GF900"; }
};

/// A cuBLAS whose matrices are by columns, in host memory, which is that of the fake device. It notes whether what it
/// is asked for is C = A B^T by rows; the bits of a half count as an integer.
struct FakeCublas {
  FakeGpu* gpu = nullptr;
  LibraryGemm size;
  int calls = 0, handles = 0, status = 0, wrong = 0;

  static FakeCublas& current() {
    static FakeCublas fake;
    return fake;
  }

  static int gemm(void*, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int, int lda,
                  const void* b, int, int ldb, const void*, void*, int, int ldc, int, int) {
    FakeCublas& fake = current();
    ++fake.calls;
    fake.gpu->now_ms += 0.2;
    const auto at = [](const void* matrix, std::int64_t i) -> float {
      return static_cast<const std::uint16_t*>(matrix)[i];
    };
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0, by_rows = 0;
        for (int l = 0; l < k; ++l) {
          sum += at(a, op_a != 0 ? l + i * lda : i + l * lda) * at(b, op_b != 0 ? j + l * ldb : l + j * ldb);
          by_rows += at(a, i * fake.size.k + l) * at(b, j * fake.size.k + l);
        }
        if (*static_cast<const float*>(alpha) * sum != by_rows || i + j * ldc != j * fake.size.n + i) ++fake.wrong;
      }
    }
    return m == fake.size.n && n == fake.size.m && k == fake.size.k ? fake.status : 7;
  }

  static Expected<Cublas> load() {
    Cublas table;
    table.cublasCreate_v2 = [](void** handle) { return *handle = &current(), ++current().handles, 0; };
    table.cublasDestroy_v2 = [](void*) { return --current().handles, 0; };
    table.cublasGetProperty = [](int type, int* value) { return *value = 13 - type, 0; };
    table.cublasGetStatusString = [](int status) { return status == 15 ? "not supported" : "another status"; };
    table.cublasGemmEx = gemm;
    return table;
  }
};

class CallerTest : public testing::Test {
 protected:
  CallerTest() {
    std::ofstream(cubin_) << "image";
    job_.id = "saxpy[n=1024]";
    job_.cubin_path = cubin_;
    job_.call.symbol = "saxpy";
    job_.call.grid = {8, 2, 1};
    job_.call.block = {128, 1, 1};
    job_.call.launches = 5;
    job_.call.arguments = {{4096, CallType::F32, CallFill::Iota, 0},
                           {0, CallType::U8, CallFill::Zeros, 7},
                           {4096, CallType::F32, CallFill::Random, 0},
                           {0, CallType::F32, CallFill::Zeros, 2.5}};
  }
  ~CallerTest() override {
    runner_.reset();
    std::filesystem::remove(cubin_);
  }
  Expected<Observation> run(const Runner::OpenCounters& counters = refused) {
    if (!runner_) runner_ = WARPCLOCK_TRY(Runner::open(FakeGpu::driver(), counters, load_cublas_));
    return runner_->run(job_);
  }
  template <class T>
  static T at(const std::vector<unsigned char>& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }

  std::string cubin_ = (std::filesystem::temp_directory_path() / ("caller_test." + std::to_string(getpid()))).string();
  FakeGpu gpu_;
  Job job_;
  LoadCublas load_cublas_ = FakeCublas::load;
  std::unique_ptr<Runner> runner_;
};

TEST_F(CallerTest, TimesEachLaunchAndAnEmptyKernel) {
  const auto seen = must(run());
  EXPECT_THAT(seen.call_us, SizeIs(5));
  EXPECT_THAT(seen.call_us, Each(testing::DoubleNear(250, 0.01)));
  EXPECT_THAT(seen.empty_us, Each(testing::DoubleNear(2, 0.01)));
  EXPECT_GT(seen.clock.sm_mhz, 0);
  EXPECT_THAT(seen.samples, IsEmpty());
  EXPECT_EQ(gpu_.events, 0) << "all events are destroyed";
  EXPECT_THAT(gpu_.sweeps, IsEmpty());
}

class LibraryTest : public CallerTest {
 protected:
  LibraryTest() {
    job_.call.library = {3, 5, 7};
    FakeCublas::current() = {.gpu = &gpu_, .size = job_.call.library};
  }
};

TEST_F(LibraryTest, IsTimedAsTheKernelIs) {
  const auto seen = must(run());
  EXPECT_EQ(seen.library.version, "13.12.11");
  EXPECT_EQ(seen.library.missing, "");
  EXPECT_THAT(seen.library.us, SizeIs(5));
  EXPECT_THAT(seen.library.us, Each(testing::DoubleNear(200, 0.01)));
  EXPECT_EQ(FakeCublas::current().calls, 6) << "the first one is not timed";
  EXPECT_EQ(FakeCublas::current().wrong, 0) << "C = A B^T by rows";
  EXPECT_EQ(FakeCublas::current().handles, 0) << "its workspace is given back";
  EXPECT_THAT(gpu_.sweeps, IsEmpty());
  job_.call.cold = true;
  ASSERT_TRUE(run());
  EXPECT_THAT(gpu_.sweeps, SizeIs(15)) << "of the kernel, of the empty one and of the library";
}

TEST_F(LibraryTest, IsNotLoadedUnlessAsked) {
  job_.call.library = {};
  load_cublas_ = []() -> Expected<Cublas> { return ADD_FAILURE(), fail("toolkit", "it is loaded"); };
  EXPECT_EQ(must(run()).library, LibraryTimes{});
}

TEST_F(LibraryTest, ThatIsAbsentOrFailsLeavesTheTimesOfTheKernel) {
  const auto missing = [&] {
    const auto seen = run();
    if (!seen) return "the job failed: " + seen.error().text;
    EXPECT_THAT(seen->call_us, SizeIs(5));
    EXPECT_THAT(seen->library.us, IsEmpty());
    return seen->library.missing;
  };
  FakeCublas::current().status = 15;
  EXPECT_EQ(missing(), "calling cuBLAS: not supported");
  job_.call.library.m = 1LL << 30;
  EXPECT_THAT(missing(), StartsWith("the device has no 15032385536 bytes"));
  runner_.reset();
  load_cublas_ = []() -> Expected<Cublas> { return fail("toolkit", "there is no libcublas.so.13"); };
  EXPECT_EQ(missing(), "there is no libcublas.so.13");
}

TEST_F(LibraryTest, ThatFaultsIsAFault) {
  load_cublas_ = [this]() -> Expected<Cublas> {
    gpu_.broken = CUDA_ERROR_ILLEGAL_ADDRESS;
    return FakeCublas::load();
  };
  EXPECT_EQ(failure_of(run()).code, "fault");
}

TEST_F(CallerTest, PacksArgumentsAsTheKernelFindsThem) {
  gpu_.on_call = [](const FakeGpu::CallLaunch& call) {
    if (call.kernel != "saxpy") return CUDA_SUCCESS;
    EXPECT_THAT(call.arguments, SizeIs(28));
    const auto* x = reinterpret_cast<const float*>(at<std::uint64_t>(call.arguments, 0));
    EXPECT_EQ(x[1023], 1023);
    EXPECT_EQ(call.arguments[8], 7);
    const auto* y = reinterpret_cast<const float*>(at<std::uint64_t>(call.arguments, 16));
    EXPECT_NE(y[0], y[1]);
    EXPECT_LT(y[0], 1);
    EXPECT_GE(y[0], -1);
    EXPECT_EQ(at<float>(call.arguments, 24), 2.5F);
    return CUDA_SUCCESS;
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.calls.front().grid, (std::vector<unsigned>{8, 2, 1}));
  EXPECT_EQ(gpu_.calls.front().block, (std::vector<unsigned>{128, 1, 1}));
}

TEST_F(CallerTest, SweepsL2BeforeEachColdLaunch) {
  job_.call.cold = true;
  ASSERT_TRUE(run());
  EXPECT_THAT(gpu_.sweeps, SizeIs(10)) << "of the kernel and of the empty one";
}

TEST_F(CallerTest, CountsSettledLaunches) {
  job_.counters = {"sm__cycles_active.max"};
  const auto seen = run([](CUctx_st*) -> Expected<std::unique_ptr<Counters>> { return std::make_unique<TwoPasses>(); });
  ASSERT_TRUE(seen) << seen.error().message();
  ASSERT_THAT(seen->counted, SizeIs(5));
  EXPECT_EQ(seen->counted[4].at("sm__cycles_active.max"), 1004);
  const auto mine = std::ranges::count(gpu_.calls, "saxpy", &FakeGpu::CallLaunch::kernel);
  EXPECT_EQ(mine, 1 + 5 + 2 * 5 * 2) << "before each counted launch, one that warms L2";
}

TEST_F(CallerTest, WithoutPermissionForCountersTheTimesRemain) {
  job_.counters = {"sm__cycles_active.max"};
  const auto seen = must(run());
  EXPECT_EQ(seen.counters_missing, "no permission here");
  EXPECT_THAT(seen.call_us, SizeIs(5));
}

TEST_F(CallerTest, WhatTheDeviceDoesNotAllowIsTheJobsErrorAlone) {
  const auto refusal = [&](const char* code, const char* text) {
    EXPECT_THAT(failure_of(run()), IsError(code, HasSubstr(text)));
  };
  job_.call.block = {2048, 1, 1};
  refusal("launch", "2048 threads of a block; this kernel allows 1024");
  job_.call.block = {128, 1, 1};
  job_.call.shared_bytes = 300'000;
  refusal("launch", "the device allows 232448");
  job_.call.shared_bytes = 0;
  job_.call.arguments.front().bytes = 4LL << 30;
  refusal("memory", "the device has no 4294967296 bytes");
  job_.call.arguments.front().bytes = 4096;
  gpu_.on_call = [](const FakeGpu::CallLaunch&) { return CUDA_ERROR_INVALID_VALUE; };
  refusal("launch", "a grid of 8 x 2 x 1 blocks");
  gpu_.on_call = [](const FakeGpu::CallLaunch&) { return CUDA_SUCCESS; };
  EXPECT_TRUE(run()) << "the worker goes on";
}

TEST_F(CallerTest, AFaultOfTheKernelIsAFault) {
  gpu_.on_call = [&](const FakeGpu::CallLaunch&) { return gpu_.broken = CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_SUCCESS; };
  EXPECT_EQ(failure_of(run()).code, "fault");
}

TEST_F(CallerTest, GivesBuffersBack) {
  ASSERT_TRUE(run());
  const std::size_t once = gpu_.allocated;
  ASSERT_TRUE(run());
  EXPECT_EQ(gpu_.allocated, once);
}

TEST(Call, HalvesAndIntegersAreEncoded) {
  EXPECT_EQ(bits_of(CallType::F16, 1), 0x3c00U);
  EXPECT_EQ(bits_of(CallType::F16, -2.5), 0xc100U);
  EXPECT_EQ(bits_of(CallType::F16, 65504), 0x7bffU);
  EXPECT_EQ(bits_of(CallType::F16, 70000), 0x7c00U);
  EXPECT_EQ(bits_of(CallType::F16, 0x1p-24), 1U);
  EXPECT_EQ(bits_of(CallType::Bf16, 1), 0x3f80U);
  EXPECT_EQ(bits_of(CallType::I8, -1), 0xffU);
  EXPECT_EQ(bits_of(CallType::I64, -1), ~std::uint64_t{0});
  EXPECT_EQ(bits_of(CallType::U32, 5e9), 5'000'000'000 & 0xffffffff);
}

TEST(Call, PatternsRepeatExceptCountedOnes) {
  EXPECT_EQ(must(call_pattern({64 << 20, CallType::F16, CallFill::Random, 0})).size(), 4U << 20);
  EXPECT_EQ(call_pattern({8 << 20, CallType::U32, CallFill::Iota, 0})->size(), 8U << 20);
  EXPECT_EQ(call_pattern({6, CallType::F32, CallFill::Ones, 0}).error().code, "data");
}

}  // namespace
}  // namespace warpclock
