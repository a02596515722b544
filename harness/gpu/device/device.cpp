#include "gpu/device/device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>
#include <utility>

#include "code/toolkit.hpp"

namespace warpclock {

namespace {

// nvml.h: nvmlClockType_t and nvmlTemperatureSensors_t.
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int temperature_gpu = 0;
constexpr std::uint64_t idle = 0x1;

// nvml.h: nvmlMemoryErrorType_t, nvmlEccCounterType_t, nvmlPageRetirementCause_t and nvmlReturn_t.
constexpr int corrected_errors = 0, uncorrected_errors = 1;
constexpr int since_made = 1;
constexpr int single_bit_pages = 0, double_bit_pages = 1;
constexpr int insufficient_size = 7;

constexpr std::array<std::pair<std::uint64_t, const char*>, 8> reason_names = {{
    {0x2, "applications-clocks-setting"},
    {0x4, "sw-power-cap"},
    {0x8, "hw-slowdown"},
    {0x10, "sync-boost"},
    {0x20, "sw-thermal-slowdown"},
    {0x40, "hw-thermal-slowdown"},
    {0x80, "hw-power-brake-slowdown"},
    {0x100, "display-clock-setting"},
}};

// nvml.h: nvmlProcessInfo_t (of the functions that end in _v3).
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
constexpr unsigned long long unknown_memory = ~0ULL;

// nvml.h: nvmlEventData_t (of nvmlEventSetWait_v2) and nvmlEventTypeXidCriticalError.
struct EventData {
  NvmlDevice device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
constexpr unsigned long long xid_event = 8;

template <class Function, class... Arguments>
std::optional<double> number(Function function, double scale, Arguments... arguments) {
  unsigned value = 0;
  if (function == nullptr || function(arguments..., &value) != 0) return std::nullopt;
  return value * scale;
}

template <class Function, class... Arguments>
std::string text(Function function, Arguments... arguments) {
  std::array<char, 256> characters{};
  if (function == nullptr || function(arguments..., characters.data(), characters.size() - 1) != 0) return {};
  return characters.data();
}

Expected<NvmlFunctions> start_nvml(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail("no-nvml", fmt::format("{} is not installed", library));
  NvmlFunctions f;
#define WARPCLOCK_LOAD(name, symbol, parameters) load_function(handle, symbol, f.name);
  WARPCLOCK_NVML_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  // Its older name.
  if (f.event_reasons == nullptr) f.event_reasons = f.throttle_reasons;
  if (f.init == nullptr || f.by_bus_id == nullptr || f.count == nullptr || f.by_index == nullptr)
    return fail("no-nvml", fmt::format("{} is too old", library));
  if (const int result = f.init(); result != 0)
    return fail("no-nvml", fmt::format("nvmlInit answered error {}", result));
  return f;
}

}  // namespace

std::vector<std::string> throttle_names(std::uint64_t reasons) {
  std::vector<std::string> names;
  reasons &= ~idle;
  for (const auto& [bit, name] : reason_names) {
    if (reasons & bit) names.emplace_back(name);
    reasons &= ~bit;
  }
  for (; reasons != 0; reasons &= reasons - 1) names.push_back(fmt::format("{:#x}", reasons & (~reasons + 1)));
  return names;
}

Expected<Nvml> Nvml::open(const std::string& pci_bus_id, const std::string& library) {
  const NvmlFunctions f = WARPCLOCK_TRY(start_nvml(library));
  NvmlDevice device = nullptr;
  if (const int result = f.by_bus_id(pci_bus_id.c_str(), &device); result != 0)
    return fail("no-nvml", fmt::format("NVML does not know device {} (error {})", pci_bus_id, result));
  return Nvml(f, device);
}

NvmlFacts Nvml::facts() const {
  NvmlFacts facts;
  facts.sm_max_mhz = number(functions_.max_clock, 1, device_, clock_sm);
  facts.memory_max_mhz = number(functions_.max_clock, 1, device_, clock_memory);
  int ecc = 0, ecc_pending = 0;
  if (functions_.ecc_mode != nullptr && functions_.ecc_mode(device_, &ecc, &ecc_pending) == 0) facts.ecc = ecc != 0;
  facts.driver = text(functions_.driver_version);
  facts.uuid = text(functions_.uuid, device_);
  facts.vbios = text(functions_.vbios, device_);
  facts.board = text(functions_.board, device_);
  facts.serial = text(functions_.serial, device_);
  facts.memory_errors = memory_errors();
  int persistence = 0;
  if (functions_.persistence != nullptr && functions_.persistence(device_, &persistence) == 0) {
    facts.persistence = persistence != 0;
  }
  facts.sm_set_mhz = number(functions_.set_clock, 1, device_, clock_sm);
  facts.memory_set_mhz = number(functions_.set_clock, 1, device_, clock_memory);
  facts.power_limit_w = number(functions_.power_limit, 1e-3, device_);
  return facts;
}

std::map<std::string, double> Nvml::memory_errors() const {
  std::map<std::string, double> found;
  for (const auto& [type, name] :
       {std::pair(corrected_errors, "corrected"), std::pair(uncorrected_errors, "uncorrected")}) {
    unsigned long long count = 0;
    if (functions_.ecc_errors != nullptr && functions_.ecc_errors(device_, type, since_made, &count) == 0)
      found[name] = static_cast<double>(count);
  }
  for (const int cause : {single_bit_pages, double_bit_pages}) {
    unsigned count = 0;
    if (functions_.retired_pages == nullptr) break;
    // Without room for their addresses, it says how many there are.
    const int result = functions_.retired_pages(device_, cause, &count, nullptr);
    if (result == 0 || result == insufficient_size) found["retired_pages"] += count;
  }
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (functions_.remapped_rows != nullptr &&
      functions_.remapped_rows(device_, &corrected, &uncorrected, &pending, &failed) == 0) {
    found["remapped_rows"] = corrected + uncorrected;
    found["remap_pending"] = pending;
    found["remap_failed"] = failed;
  }
  return found;
}

std::shared_ptr<void> Nvml::xid_events() const {
  void* made = nullptr;
  if (functions_.event_set == nullptr || functions_.event_set(&made) != 0) return nullptr;
  std::shared_ptr<void> events(made, [free = functions_.free_event_set](void* set) {
    if (free != nullptr) free(set);
  });
  if (functions_.register_events == nullptr || functions_.register_events(device_, xid_event, made) != 0)
    return nullptr;
  return events;
}

std::optional<std::uint64_t> Nvml::next_xid(void* events) const {
  EventData event{};
  if (events == nullptr || functions_.wait_for_event == nullptr) return std::nullopt;
  if (functions_.wait_for_event(events, &event, 0) != 0 || event.type != xid_event) return std::nullopt;
  return event.data;
}

NvmlReading Nvml::read() const {
  NvmlReading reading;
  reading.sm_mhz = number(functions_.clock, 1, device_, clock_sm);
  reading.memory_mhz = number(functions_.clock, 1, device_, clock_memory);
  reading.power_w = number(functions_.power, 1e-3, device_);
  reading.temperature_c = number(functions_.temperature, 1, device_, temperature_gpu);
  unsigned long long reasons = 0;
  if (functions_.event_reasons != nullptr && functions_.event_reasons(device_, &reasons) == 0) {
    reading.throttle = throttle_names(reasons);
  }
  return reading;
}

std::optional<double> Nvml::energy_j() const {
  unsigned long long millijoules = 0;
  if (functions_.energy == nullptr || functions_.energy(device_, &millijoules) != 0) return std::nullopt;
  return static_cast<double>(millijoules) / 1e3;
}

std::vector<GpuProcess> Nvml::processes() const {
  std::vector<GpuProcess> found;
  for (const auto& [function, kind] :
       {std::pair(functions_.compute_processes, "compute"), std::pair(functions_.graphics_processes, "graphics"),
        std::pair(functions_.mps_processes, "mps")}) {
    std::array<ProcessInfo, 64> infos{};
    unsigned count = infos.size();
    if (function == nullptr || function(device_, &count, infos.data()) != 0) continue;
    for (const ProcessInfo& info : std::span(infos).first(std::min<std::size_t>(count, infos.size()))) {
      GpuProcess& one = found.emplace_back();
      one.pid = info.pid;
      one.kind = kind;
      if (info.memory_bytes != unknown_memory) one.memory_bytes = static_cast<double>(info.memory_bytes);
      one.name = text(functions_.process_name, info.pid);
    }
  }
  return found;
}

namespace {

/// Calls `use` with each device in the order of nvidia-smi; null for a GPU that has fallen off the bus, which keeps its
/// number.
Expected<void> each_gpu(const NvmlFunctions& nvml, const auto& use) {
  unsigned gpus = 0;
  if (const int result = nvml.count(&gpus); result != 0)
    return fail("no-nvml", fmt::format("NVML does not count its devices (error {})", result));
  for (unsigned i = 0; i < gpus; ++i) {
    NvmlDevice device = nullptr;
    use(i, nvml.by_index(i, &device) == 0 ? device : nullptr);
  }
  return {};
}

}  // namespace

Expected<std::vector<std::string>> list_gpus(const std::string& library) {
  const NvmlFunctions nvml = WARPCLOCK_TRY(start_nvml(library));
  std::vector<std::string> found;
  WARPCLOCK_TRY(each_gpu(nvml, [&](unsigned i, NvmlDevice device) {
    const std::string name = device != nullptr ? text(nvml.uuid, device) : "";
    found.push_back(name.empty() ? std::to_string(i) : name);  // by which it is asked for, and fails
  }));
  return found;
}

std::optional<Arch> arch_of_all_gpus(const std::string& library) {
  const auto nvml = start_nvml(library);
  if (!nvml || nvml->capability == nullptr) return std::nullopt;
  std::set<Arch> found;
  const auto seen = each_gpu(*nvml, [&](unsigned, NvmlDevice device) {
    int major = 0, minor = 0;
    if (device != nullptr && nvml->capability(device, &major, &minor) == 0) found.insert(device_arch(major, minor));
  });
  return seen && found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

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

std::string mig_slice(std::string_view name) {
  const std::size_t at = name.find(" MIG ");
  return at == name.npos ? std::string() : std::string(name.substr(at + 1));
}

Arch device_arch(int major, int minor) { return {.sm = major * 10 + minor, .specific = major >= 9}; }

Expected<DeviceFacts> device_facts(const Driver& driver, int device, const Nvml* nvml) {
  DeviceFacts facts;
  std::array<char, 256> name{};
  WARPCLOCK_TRY(check(driver, driver.cuDeviceGetName(name.data(), name.size() - 1, device), "naming the device"));
  facts.name = name.data();
  facts.slug = device_slug(facts.name);
  facts.partition = mig_slice(facts.name);

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
