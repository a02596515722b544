#include "capture/injection/libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <map>

namespace warpclock::injected {
namespace {

DriverCalls the_driver;
CuptiCalls the_cupti;

constexpr const char* cupti_name = "libcupti.so.13";

template <class Function>
bool load(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  return function != nullptr;
}

std::string load_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "libcuda.so.1 cannot be loaded";
#define WARPCLOCK_LOAD(name, symbol)            \
  if (!load(library, #symbol, the_driver.name)) \
    return "the driver has no " #symbol ": it must be of CUDA 12.4 or later";
  WARPCLOCK_INJECTED_DRIVER(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  return {};
}

void* open_cupti(const char* path) {
  if (void* const loaded = dlopen(cupti_name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return loaded;
  if (path != nullptr && *path != '\0') {
    if (void* const given = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return given;
  }
  return dlopen(cupti_name, RTLD_NOW | RTLD_LOCAL);
}

std::string load_cupti(const char* path) {
  void* const library = open_cupti(path);
  if (library == nullptr) return fmt::format("{} cannot be loaded: add its folder to LD_LIBRARY_PATH", cupti_name);
#define WARPCLOCK_LOAD(name) \
  if (!load(library, #name, the_cupti.name)) return "CUPTI has no " #name;
  WARPCLOCK_INJECTED_CUPTI(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  return {};
}

using NvmlDevice = void*;

/// Readings of NVML, whose declarations are our own because the toolkit has no nvml.h.
class Clocks {
 public:
  Clocks() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)() = nullptr;
    if (library == nullptr || !load(library, "nvmlInit_v2", init) || init() != 0) return;
    if (load(library, "nvmlDeviceGetHandleByPciBusId_v2", by_bus_id_)) load(library, "nvmlDeviceGetClockInfo", clock_);
  }

  unsigned read(int device) {
    constexpr int sm_clock = 1;
    unsigned mhz = 0;
    if (clock_ == nullptr) return 0;
    auto [found, added] = devices_.try_emplace(device, nullptr);
    if (added) found->second = open(device);
    return found->second != nullptr && clock_(found->second, sm_clock, &mhz) == 0 ? mhz : 0;
  }

 private:
  NvmlDevice open(int number) const {
    std::array<char, 64> bus{};
    CUdevice device = 0;
    NvmlDevice opened = nullptr;
    if (the_driver.cuDeviceGet(&device, number) != CUDA_SUCCESS ||
        the_driver.cuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) != CUDA_SUCCESS ||
        by_bus_id_(bus.data(), &opened) != 0)
      return nullptr;
    return opened;
  }

  int (*by_bus_id_)(const char*, NvmlDevice*) = nullptr;
  int (*clock_)(NvmlDevice, int, unsigned*) = nullptr;
  std::map<int, NvmlDevice> devices_;
};

}  // namespace

const DriverCalls& driver() { return the_driver; }
const CuptiCalls& cupti() { return the_cupti; }

std::string load_libraries(const char* cupti_path) {
  std::string wrong = load_driver();
  if (wrong.empty()) wrong = load_cupti(cupti_path);
  return wrong;
}

unsigned sm_clock_mhz(int device) {
  static Clocks clocks;
  return clocks.read(device);
}

}  // namespace warpclock::injected
