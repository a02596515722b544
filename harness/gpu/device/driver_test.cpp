#include "gpu/device/driver.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"
#include "gpu/testing/fake_gpu.hpp"

namespace warpclock {
namespace {

TEST(LoadDriver, SaysWhatIsMissing) {
  EXPECT_THAT(failure_of(load_driver("libno-such-driver.so.1")),
              IsError("no-driver", HasSubstr("libno-such-driver.so.1")));
  EXPECT_THAT(failure_of(load_driver("libc.so.6")), IsError("no-driver", HasSubstr("older")));
}

TEST(Check, TellsFaultsFromOtherErrors) {
  const FakeGpu gpu;
  const Driver driver = FakeGpu::driver();
  EXPECT_TRUE(check(driver, CUDA_SUCCESS, "testing"));
  const auto error = check(driver, CUDA_ERROR_INVALID_VALUE, "testing");
  EXPECT_THAT(failure_of(error), IsError("cuda", "CUDA_ERROR_FAKE (1): a fake error, while testing"));
  EXPECT_EQ(check(driver, CUDA_ERROR_OUT_OF_MEMORY, "testing").error().code, "memory");
  for (const CUresult result : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_TIMEOUT}) {
    EXPECT_EQ(check(driver, result, "testing").error().code, "fault") << result;
  }
}

}  // namespace
}  // namespace warpclock
