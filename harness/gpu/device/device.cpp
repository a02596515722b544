#include "gpu/device/device.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "gpu/device/nvml.hpp"

namespace warpclock {
namespace {

int attribute(const Driver& driver, CUdevice_P2PAttribute which, CUdevice from, CUdevice to) {
  int value = 0;
  return driver.cuDeviceGetP2PAttribute(&value, which, from, to) == CUDA_SUCCESS ? value : 0;
}

}  // namespace

Peer::~Peer() {
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(*device_);
}

Expected<void> Peer::open() {
  int count = 0;
  WARPCLOCK_TRY(check(driver_, driver_.cuDeviceGetCount(&count), "counting GPUs"));
  if (count < 2) return fail(ErrorCode::Peer, "there is no second GPU");
  for (int index = 0; index < count && !device_; ++index) {
    CUdevice other = 0;
    WARPCLOCK_TRY(check(driver_, driver_.cuDeviceGet(&other, index), "looking for a second GPU"));
    int reachable = 0;
    if (other == self_) continue;
    WARPCLOCK_TRY(check(driver_, driver_.cuDeviceCanAccessPeer(&reachable, self_, other), "looking for a second GPU"));
    if (reachable != 0) device_ = other;
  }
  if (!device_)
    return fail(ErrorCode::Peer, fmt::format("none of the {} other GPUs can be reached from this one", count - 1));
  WARPCLOCK_TRY(check(driver_, driver_.cuCtxGetCurrent(&own_), "opening a second GPU"));
  CUcontext context = nullptr;
  WARPCLOCK_TRY(check(driver_, driver_.cuDevicePrimaryCtxRetain(&context, *device_), "opening a second GPU"));
  const auto reached = check(driver_, driver_.cuCtxEnablePeerAccess(context, 0), "reaching a second GPU");
  if (reached) {
    context_ = context;
  } else {
    driver_.cuDevicePrimaryCtxRelease(*device_);
  }
  return reached;
}

Expected<void> Peer::enter() {
  if (context_ == nullptr) WARPCLOCK_TRY(open());
  return check(driver_, driver_.cuCtxSetCurrent(context_), "using a second GPU");
}

Expected<void> Peer::leave() { return check(driver_, driver_.cuCtxSetCurrent(own_), "leaving a second GPU"); }

namespace {

/// The other GPUs, each with a description of how it is reached.
std::vector<std::string> peers_in_words(const Driver& driver, CUdevice self) {
  std::vector<std::string> peers;
  int count = 0;
  if (driver.cuDeviceGetCount(&count) != CUDA_SUCCESS) return peers;
  for (int index = 0; index < count; ++index) {
    CUdevice other = 0;
    if (driver.cuDeviceGet(&other, index) != CUDA_SUCCESS || other == self) continue;
    std::array<char, 256> name{};
    if (driver.cuDeviceGetName(name.data(), name.size() - 1, other) != CUDA_SUCCESS) continue;
    std::string text = name.data();
    if (attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, self, other) == 0) {
      peers.push_back(text + ", not in reach");
      continue;
    }
    text +=
        fmt::format(", performance rank {}", attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, self, other));
    if (attribute(driver, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, self, other) != 0)
      text += ", native atomics";
    peers.push_back(std::move(text));
  }
  return peers;
}

}  // namespace

std::string device_slug(std::string_view name) {
  std::string slug;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x80 && std::isalnum(u)) {
      slug += static_cast<char>(std::tolower(u));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  if (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "unknown-gpu" : slug;
}

Arch device_arch(int major, int minor) { return {.sm = major * 10 + minor, .specific = major >= 9}; }

Expected<DeviceFacts> device_facts(const Driver& driver, int device, const Nvml* nvml) {
  DeviceFacts facts;
  std::array<char, 256> name{};
  WARPCLOCK_TRY(check(driver, driver.cuDeviceGetName(name.data(), name.size() - 1, device), "naming the device"));
  facts.name = name.data();
  facts.slug = device_slug(facts.name);

  const auto attribute = [&](CUdevice_attribute which) { return device_attribute(driver, device, which); };
  facts.arch = to_string(device_arch(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                     attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)));
  facts.sms = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  facts.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  facts.shared_per_sm_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  facts.shared_per_block_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  facts.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  facts.sm_clock_max_mhz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3;
  facts.memory_clock_max_mhz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1e3;
  std::size_t memory = 0;
  if (driver.cuDeviceTotalMem(&memory, device) == CUDA_SUCCESS) facts.memory_bytes = static_cast<std::int64_t>(memory);
  CUmemAllocationProp pages{};
  pages.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  pages.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
  std::size_t page = 0;
  if (driver.cuMemGetAllocationGranularity(&page, &pages, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS) {
    facts.page_bytes = static_cast<std::int64_t>(page);
  }
  std::array<char, 32> bus_id{};
  if (driver.cuDeviceGetPCIBusId(bus_id.data(), bus_id.size() - 1, device) == CUDA_SUCCESS) facts.pci = bus_id.data();
  facts.ecc = "unknown";
  if (nvml != nullptr) {
    const NvmlFacts more = nvml->facts();
    if (more.sm_max_mhz) facts.sm_clock_max_mhz = *more.sm_max_mhz;
    if (more.memory_max_mhz) facts.memory_clock_max_mhz = *more.memory_max_mhz;
    if (more.ecc) facts.ecc = *more.ecc ? "on" : "off";
    facts.driver = more.driver;
    facts.uuid = more.uuid;
    facts.vbios = more.vbios;
    facts.board = more.board;
    facts.serial = more.serial;
    facts.memory_errors = more.memory_errors;
    if (more.persistence) facts.persistence = *more.persistence ? "on" : "off";
    facts.sm_clock_set_mhz = more.sm_set_mhz.value_or(0);
    facts.memory_clock_set_mhz = more.memory_set_mhz.value_or(0);
    facts.power_limit_w = more.power_limit_w.value_or(0);
  }
  facts.peers = peers_in_words(driver, device);
  if (facts.driver.empty()) {
    int version = 0;
    if (driver.cuDriverGetVersion(&version) == CUDA_SUCCESS && version > 0) {
      facts.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
    }
  }
  return facts;
}

}  // namespace warpclock
