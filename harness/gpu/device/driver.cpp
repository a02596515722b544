#include "gpu/device/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#define WARPCLOCK_TEXT_OF(name) #name
#define WARPCLOCK_TEXT(name) WARPCLOCK_TEXT_OF(name)

namespace warpclock {

Expected<Driver> load_driver(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail("no-driver", fmt::format("the NVIDIA driver is not installed ({})", why ? why : library));
  }
  Driver driver;
  const char* missing = nullptr;
  const auto load = [&](auto& function, const char* name) {
    void* symbol = dlsym(handle, name);
    if (symbol == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
#define WARPCLOCK_LOAD(name) load(driver.name, WARPCLOCK_TEXT(name));
  WARPCLOCK_DRIVER_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  if (missing != nullptr) {
    return fail("no-driver",
                fmt::format("{} has no {}: the NVIDIA driver is older than this program needs", library, missing));
  }
  return driver;
}

bool is_sticky(CUresult result) {
  static constexpr std::array sticky = {
      CUDA_ERROR_ECC_UNCORRECTABLE,     CUDA_ERROR_NVLINK_UNCORRECTABLE, CUDA_ERROR_ILLEGAL_ADDRESS,
      CUDA_ERROR_LAUNCH_TIMEOUT,        CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
      CUDA_ERROR_HARDWARE_STACK_ERROR,  CUDA_ERROR_ILLEGAL_INSTRUCTION,  CUDA_ERROR_MISALIGNED_ADDRESS,
      CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC,           CUDA_ERROR_LAUNCH_FAILED,
      CUDA_ERROR_EXTERNAL_DEVICE,       CUDA_ERROR_DEINITIALIZED,        CUDA_ERROR_UNKNOWN,
  };
  // Later toolkits name more of them; these numbers are from CUDA 13.0's cuda.h.
  static constexpr std::array<int, 2> newer = {721 /* TENSOR_MEMORY_LEAK */, 226 /* CONTAINED */};
  return std::ranges::find(sticky, result) != sticky.end() ||
         std::ranges::find(newer, static_cast<int>(result)) != newer.end();
}

Expected<void> check(const Driver& driver, CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown CUDA error";
  if (driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  const ErrorCode code = is_sticky(result)                    ? ErrorCode::Fault
                         : result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::Memory
                                                              : ErrorCode::Cuda;
  return fail(code, fmt::format("{} ({}): {}, while {}", name, static_cast<int>(result), text, doing));
}

int device_attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

}  // namespace warpclock
