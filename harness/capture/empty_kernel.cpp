#include "capture/empty_kernel.hpp"

#include <fmt/format.h>

#include <string>

namespace warpclock {

Expected<void> launch_empty_kernel(const Driver& driver) {
  constexpr int launches = 64;
  constexpr unsigned warp_threads = 32;
  const std::string ptx =
      fmt::format(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {}() {{ ret; }}\n", empty_kernel);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  if (driver.cuInit(0) != CUDA_SUCCESS || driver.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
    return fail(ErrorCode::NoDevice, "there is no GPU");
  WARPCLOCK_TRY(check(driver, driver.cuDevicePrimaryCtxRetain(&context, device), "making a context"));
  WARPCLOCK_TRY(check(driver, driver.cuCtxSetCurrent(context), "making a context"));
  WARPCLOCK_TRY(check(driver, driver.cuModuleLoadData(&module, ptx.c_str()), "loading the empty kernel"));
  WARPCLOCK_TRY(check(driver, driver.cuModuleGetFunction(&function, module, empty_kernel), "loading the empty kernel"));
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = warp_threads;
  for (int i = 0; i < launches; ++i) {
    WARPCLOCK_TRY(check(driver, driver.cuLaunchKernelEx(&config, function, nullptr, nullptr), "launching it"));
    WARPCLOCK_TRY(check(driver, driver.cuStreamSynchronize(nullptr), "launching it"));
  }
  return check(driver, driver.cuDevicePrimaryCtxRelease(device), "releasing a context");
}

}  // namespace warpclock
