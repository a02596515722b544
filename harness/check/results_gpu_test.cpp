#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "check/testing/expected_result.hpp"
#include "code/toolkit.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/memory.hpp"

namespace warpclock {
namespace {

// The kernels of configs/cases.yaml, launched once each: what they are timed for is right.
class ResultsOnTheGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_driver();
    if (!loaded) GTEST_SKIP() << loaded.error().text;
    driver_ = *loaded;
    if (driver_.cuInit(0) != CUDA_SUCCESS || driver_.cuDeviceGet(&device_, 0) != CUDA_SUCCESS) GTEST_SKIP() << "no GPU";
    done(driver_.cuDevicePrimaryCtxRetain(&context_, device_));
    done(driver_.cuCtxSetCurrent(context_));
    facts_ = device_facts(driver_, device_, nullptr).value();
    modules_ = std::make_unique<ModuleCache>(driver_);
  }

  void TearDown() override {
    modules_.reset();
    if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
  }

  static void done(CUresult result) { ASSERT_EQ(result, CUDA_SUCCESS); }

  std::vector<CUdeviceptr> fill(const std::vector<std::vector<std::byte>>& patterns, const Call& call) {
    std::vector<CUdeviceptr> addresses;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(call.arguments[i].bytes);
      if (bytes == 0) continue;
      auto& buffer = *buffers_.emplace_back(std::make_unique<DeviceBuffer>(driver_));
      EXPECT_TRUE(buffer.ensure(call.arguments[i].bytes));
      for (std::size_t at = 0; at < bytes; at += patterns[i].size())
        done(driver_.cuMemcpyHtoD(buffer.address() + at, patterns[i].data(), std::min(patterns[i].size(), bytes - at)));
      addresses.push_back(buffer.address());
    }
    return addresses;
  }

  void launch(const std::string& cubin, const Call& call, const std::vector<CUdeviceptr>& addresses) {
    const auto function = must(modules_->function(cubin, call.symbol));
    done(driver_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(call.shared_bytes)));
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(call.grid[0]), config.gridDimY = static_cast<unsigned>(call.grid[1]);
    config.gridDimZ = static_cast<unsigned>(call.grid[2]), config.blockDimX = static_cast<unsigned>(call.block[0]);
    config.blockDimY = static_cast<unsigned>(call.block[1]), config.blockDimZ = static_cast<unsigned>(call.block[2]);
    config.sharedMemBytes = static_cast<unsigned>(call.shared_bytes);
    auto arguments = packed_arguments(call, {addresses.begin(), addresses.end()});
    std::size_t size = arguments.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    done(driver_.cuLaunchKernelEx(&config, function, nullptr, extra));
    done(driver_.cuStreamSynchronize(nullptr));
  }

  /// Compares elements of each output in sixteen places of sixteen neighbours. Returns how many were compared.
  int compare(const testing::ExpectedResult& expected, const Call& call, const std::vector<CUdeviceptr>& addresses) {
    int compared = 0;
    for (const std::size_t output : expected.outputs()) {
      const CallArgument& argument = call.arguments[output];
      const std::int64_t size = bytes_of(argument.type), elements = argument.bytes / size;
      constexpr std::int64_t places = 16, neighbours = 16;
      for (std::int64_t place = 0; place < places; ++place) {
        const std::int64_t first = (elements - neighbours) * place / (places - 1);
        for (std::int64_t i = first; i < first + neighbours; ++i, ++compared) {
          std::uint64_t bits = 0;
          done(driver_.cuMemcpyDtoH(&bits, addresses[output] + i * size, size));
          const auto want = expected.at(output, i);
          const double got = testing::number_of(argument.type, bits);
          if (std::isinf(want.tolerance) || std::abs(got - want.value) <= want.tolerance) continue;
          ADD_FAILURE() << "element " << i << " of argument " << output << " is " << got << ", not " << want.value;
          return compared;
        }
      }
    }
    return compared;
  }

  Driver driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  DeviceFacts facts_;
  std::unique_ptr<ModuleCache> modules_;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers_;
};

TEST_F(ResultsOnTheGpu, KernelsOfCasesComputeWhatTheySay) {
  const std::string file = WARPCLOCK_SOURCE_DIR "/configs/cases.yaml";
  const testing::TemporaryFolder folder;
  LoadOptions how;
  how.arch = parse_arch(facts_.arch).value();
  how.nvdisasm = find_nvdisasm("").value();
  auto builder = CaseBuilder(WARPCLOCK_SOURCE_DIR "/configs", how, folder / "cache");
  const auto cases = must(kernel_cases(read_studies(file, read_file(file).value()).value(), facts_.sms));
  const auto built = builder.build(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const KernelCase& one = cases[i];
    SCOPED_TRACE(one.id);
    ASSERT_TRUE(built[i]) << built[i].error().text;
    const auto expected = testing::ExpectedResult::of(one);
    Call call = one.call;
    call.symbol = built[i]->kernel->listing.kernel;
    const auto addresses = fill(expected.patterns(), call);
    launch(built[i]->cubin_path, call, addresses);
    if (HasFatalFailure()) return;
    EXPECT_GE(compare(expected, call, addresses), 256);
    buffers_.clear();
  }
}

// A claim of docs/claims.md.
TEST_F(ResultsOnTheGpu, MachineCodeOfAnEarlierGenerationIsNotLoadedAndItsPtxIs) {
  if (facts_.arch.starts_with("sm_8")) GTEST_SKIP() << "this GPU is of that generation";
  LoadOptions how;
  how.arch = {80, false};
  how.nvdisasm = find_nvdisasm("").value();
  const std::string source = WARPCLOCK_SOURCE_DIR "/probes/claims/restrict.cu";
  const std::string code = must(load_file(source, how)).images.front(), ptx = must(ptx_of(source, how)).text;
  CUmodule module = nullptr;
  EXPECT_EQ(driver_.cuModuleLoadData(&module, code.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(driver_.cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
  done(driver_.cuModuleUnload(module));
}

}  // namespace
}  // namespace warpclock
