#include "gpu/device/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/files/file.hpp"

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

namespace {

/// Whether this error destroys the context, so that only a new process can continue (CUDA Driver API, "CUresult":
/// "leaves the process in an inconsistent state").
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

}  // namespace

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

ModuleCache::~ModuleCache() {
  for (const Entry& entry : entries_) driver_.cuModuleUnload(entry.module);
}

Expected<ModuleCache::Entry*> ModuleCache::entry(const std::string& path) {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front();
  }
  const auto image = WARPCLOCK_TRY(read_file(path));
  while (entries_.size() >= capacity_) WARPCLOCK_TRY(unload(std::string(entries_.back().path)));
  CUmodule module = nullptr;
  // c_str() ends in the NUL that the driver requires after PTX text.
  WARPCLOCK_TRY(check(driver_, driver_.cuModuleLoadData(&module, image.c_str()), fmt::format("loading {}", path)));
  entries_.push_front({path, module, {}});
  return &entries_.front();
}

Expected<void> ModuleCache::unload(const std::string& path) {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  if (found == entries_.end()) return {};
  const CUmodule module = found->module;
  entries_.erase(found);
  return check(driver_, driver_.cuModuleUnload(module), "unloading a module");
}

Expected<CUfunction> ModuleCache::function(const std::string& path, const std::string& symbol) {
  const auto found = WARPCLOCK_TRY(entry(path));
  auto& functions = found->functions;
  if (const auto known = functions.find(symbol); known != functions.end()) return known->second;
  CUfunction function = nullptr;
  WARPCLOCK_TRY(check(driver_, driver_.cuModuleGetFunction(&function, found->module, symbol.c_str()),
                      fmt::format("looking up the kernel {}", symbol)));
  functions[symbol] = function;
  return function;
}

}  // namespace warpclock
