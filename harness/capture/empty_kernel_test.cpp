#include <gtest/gtest.h>

#include <string>

#include "base/testing/matchers.hpp"
#include "capture/capture_program.hpp"

namespace warpclock {
namespace {

int launched = 0;
std::string loaded, named;
CUresult launch_result = CUDA_SUCCESS;

Driver driver() {
  launched = 0, launch_result = CUDA_SUCCESS;
  Driver made;
  made.cuInit = [](unsigned) { return CUDA_SUCCESS; };
  made.cuDeviceGet = [](CUdevice*, int) { return CUDA_SUCCESS; };
  made.cuDevicePrimaryCtxRetain = [](CUcontext*, CUdevice) { return CUDA_SUCCESS; };
  made.cuDevicePrimaryCtxRelease = [](CUdevice) { return CUDA_SUCCESS; };
  made.cuCtxSetCurrent = [](CUcontext) { return CUDA_SUCCESS; };
  made.cuModuleLoadData = [](CUmodule*, const void* image) {
    return loaded = static_cast<const char*>(image), CUDA_SUCCESS;
  };
  made.cuModuleGetFunction = [](CUfunction*, CUmodule, const char* name) { return named = name, CUDA_SUCCESS; };
  made.cuLaunchKernelEx = [](const CUlaunchConfig* config, CUfunction, void**, void**) {
    launched += static_cast<int>(config->gridDimX * config->gridDimY * config->gridDimZ);
    return launch_result;
  };
  made.cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
  made.cuGetErrorName = [](CUresult, const char** text) { return *text = "CUDA_ERROR", CUDA_SUCCESS; };
  made.cuGetErrorString = made.cuGetErrorName;
  return made;
}

TEST(EmptyKernel, IsLaunchedSomeTimes) {
  EXPECT_TRUE(launch_empty_kernel(driver()));
  EXPECT_EQ(launched, 64);
  EXPECT_EQ(named, empty_kernel);
  EXPECT_THAT(loaded, HasSubstr(".entry warpclock_empty() { ret; }"));
}

TEST(EmptyKernel, SaysWhyItIsNot) {
  Driver none = driver();
  none.cuInit = [](unsigned) { return CUDA_ERROR_NO_DEVICE; };
  EXPECT_THAT(failure_of(launch_empty_kernel(none)), IsError("no-device", "there is no GPU"));
  const Driver busy = driver();
  launch_result = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_THAT(failure_of(launch_empty_kernel(busy)), IsError("memory", HasSubstr("launching it")));
}

}  // namespace
}  // namespace warpclock
