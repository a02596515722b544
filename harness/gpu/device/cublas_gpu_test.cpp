#include <gtest/gtest.h>

#include <vector>

#include "base/testing/matchers.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/memory.hpp"

namespace warpclock {
namespace {

TEST(CublasOnTheGpu, MultipliesMatricesByRows) {
  const auto driver = load_driver();
  if (!driver || driver->cuInit(0) != CUDA_SUCCESS) GTEST_SKIP() << "no GPU";
  const auto cublas = load_cublas();
  if (!cublas) GTEST_SKIP() << cublas.error().text;
  CUdevice device = 0;
  CUcontext context = nullptr;
  ASSERT_EQ(driver->cuDeviceGet(&device, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuCtxSetCurrent(context), CUDA_SUCCESS);
  {
    // A and B after each other are 0, 1, 2, …: f16 has all elements and f32 all sums without rounding.
    constexpr LibraryGemm size{16, 24, 16};
    constexpr std::int64_t of_a = size.m * size.k, bytes = 2 * (of_a + size.n * size.k);
    DeviceBuffer inputs(*driver), output(*driver);
    std::vector<float> result(size.m * size.n);
    ASSERT_TRUE(inputs.ensure(bytes) && output.ensure(4 * std::ssize(result)));
    const auto elements = call_pattern({bytes, CallType::F16, CallFill::Iota, 0}).value();
    ASSERT_EQ(driver->cuMemcpyHtoD(inputs.address(), elements.data(), elements.size()), CUDA_SUCCESS);
    const auto handle = must(CublasHandle::open(*cublas));
    RecordProperty("version", handle.version().value());
    const auto called = handle.multiply(size, inputs.address(), inputs.address() + 2 * of_a, output.address());
    ASSERT_TRUE(called) << called.error().text;
    ASSERT_EQ(driver->cuMemcpyDtoH(result.data(), output.address(), 4 * result.size()), CUDA_SUCCESS);
    for (std::int64_t row = 0; row < size.m; ++row) {
      for (std::int64_t column = 0; column < size.n; ++column) {
        std::int64_t sum = 0;
        for (std::int64_t l = 0; l < size.k; ++l) sum += (row * size.k + l) * (of_a + column * size.k + l);
        ASSERT_EQ(result.at(row * size.n + column), static_cast<float>(sum)) << row << ", " << column;
      }
    }
  }
  driver->cuDevicePrimaryCtxRelease(device);
}

}  // namespace
}  // namespace warpclock
