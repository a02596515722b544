#include "gpu/device/driver.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

TEST(LoadDriver, SaysWhatIsMissing) {
  const auto absent = load_driver("libno-such-driver.so.1");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, "no-driver");
  EXPECT_THAT(absent.error().text, HasSubstr("libno-such-driver.so.1"));
  const auto foreign = load_driver("libc.so.6");
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, "no-driver");
  EXPECT_THAT(foreign.error().text, HasSubstr("older"));
}

TEST(Check, TellsFaultsFromOtherErrors) {
  const FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  EXPECT_TRUE(check(driver, CUDA_SUCCESS, "testing"));
  const auto error = check(driver, CUDA_ERROR_INVALID_VALUE, "testing");
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().code, "cuda");
  EXPECT_EQ(error.error().text, "CUDA_ERROR_FAKE (1): a fake error, while testing");
  EXPECT_EQ(check(driver, CUDA_ERROR_OUT_OF_MEMORY, "testing").error().code, "memory");
  for (const CUresult result : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_TIMEOUT}) {
    EXPECT_EQ(check(driver, result, "testing").error().code, "fault") << result;
  }
}

}  // namespace
}  // namespace warpclock
