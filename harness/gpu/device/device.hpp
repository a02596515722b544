#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// NVML's current readings. A field is empty if the device or the driver does not provide it.
struct NvmlReading {
  std::optional<double> sm_mhz, memory_mhz, power_w, temperature_c;
  std::vector<std::string> throttle;  ///< see throttle_names
};

/// NVML's facts about the device that do not change.
struct NvmlFacts {
  std::optional<double> sm_max_mhz, memory_max_mhz;
  std::optional<bool> ecc;
  std::string driver;  ///< "580.159.03", or empty
  std::string uuid, vbios, board, serial;
  std::map<std::string, double> memory_errors;  ///< see DeviceFacts
  std::optional<bool> persistence;
  std::optional<double> sm_set_mhz, memory_set_mhz, power_limit_w;
};

/// A process that has a context on the device. Within a container, the process id may belong to another namespace, or
/// no process is listed.
struct GpuProcess {
  std::int64_t pid = 0;
  std::string kind;  ///< "compute", "graphics", "mps"
  std::string name;  ///< empty if NVML does not report it
  std::optional<double> memory_bytes;

  bool operator==(const GpuProcess&) const = default;
};

/// Names of the bits of nvmlDeviceGetCurrentClocksEventReasons (NVML API reference, "NvmlClocksEventReasons"), such as
/// "sw-power-cap". Idleness is not throttling and is left out. A bit without a known name is shown as "0x200".
[[nodiscard]] std::vector<std::string> throttle_names(std::uint64_t reasons);

/// The UUIDs of all GPUs that NVML lists, in the order of nvidia-smi. Error "no-nvml".
[[nodiscard]] Expected<std::vector<std::string>> list_gpus(const std::string& library = "libnvidia-ml.so.1");

/// The architecture of the GPUs that NVML lists; nothing if they have several, or if there is no NVML. It answers
/// within milliseconds, long before CUDA does, but does not know which GPUs CUDA_VISIBLE_DEVICES hides.
[[nodiscard]] std::optional<Arch> arch_of_all_gpus(const std::string& library = "libnvidia-ml.so.1");

/// The functions of NVML in use: ours, NVML's name, and its parameters. 0 is success.
#define WARPCLOCK_NVML_FUNCTIONS(X)                                                                       \
  X(init, "nvmlInit_v2", ())                                                                              \
  X(count, "nvmlDeviceGetCount_v2", (unsigned*))                                                          \
  X(by_index, "nvmlDeviceGetHandleByIndex_v2", (unsigned, NvmlDevice*))                                   \
  X(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2", (const char*, NvmlDevice*))                            \
  X(capability, "nvmlDeviceGetCudaComputeCapability", (NvmlDevice, int*, int*))                           \
  X(clock, "nvmlDeviceGetClockInfo", (NvmlDevice, int, unsigned*))                                        \
  X(max_clock, "nvmlDeviceGetMaxClockInfo", (NvmlDevice, int, unsigned*))                                 \
  X(set_clock, "nvmlDeviceGetApplicationsClock", (NvmlDevice, int, unsigned*))                            \
  X(power, "nvmlDeviceGetPowerUsage", (NvmlDevice, unsigned*))                                            \
  X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (NvmlDevice, unsigned*))                              \
  X(energy, "nvmlDeviceGetTotalEnergyConsumption", (NvmlDevice, unsigned long long*))                     \
  X(temperature, "nvmlDeviceGetTemperature", (NvmlDevice, int, unsigned*))                                \
  X(event_reasons, "nvmlDeviceGetCurrentClocksEventReasons", (NvmlDevice, unsigned long long*))           \
  X(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", (NvmlDevice, unsigned long long*))     \
  X(ecc_mode, "nvmlDeviceGetEccMode", (NvmlDevice, int*, int*))                                           \
  X(ecc_errors, "nvmlDeviceGetTotalEccErrors", (NvmlDevice, int, int, unsigned long long*))               \
  X(retired_pages, "nvmlDeviceGetRetiredPages", (NvmlDevice, int, unsigned*, unsigned long long*))        \
  X(remapped_rows, "nvmlDeviceGetRemappedRows", (NvmlDevice, unsigned*, unsigned*, unsigned*, unsigned*)) \
  X(persistence, "nvmlDeviceGetPersistenceMode", (NvmlDevice, int*))                                      \
  X(driver_version, "nvmlSystemGetDriverVersion", (char*, unsigned))                                      \
  X(uuid, "nvmlDeviceGetUUID", (NvmlDevice, char*, unsigned))                                             \
  X(vbios, "nvmlDeviceGetVbiosVersion", (NvmlDevice, char*, unsigned))                                    \
  X(board, "nvmlDeviceGetBoardPartNumber", (NvmlDevice, char*, unsigned))                                 \
  X(serial, "nvmlDeviceGetSerial", (NvmlDevice, char*, unsigned))                                         \
  X(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3", (NvmlDevice, unsigned*, void*))         \
  X(graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3", (NvmlDevice, unsigned*, void*))       \
  X(mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v3", (NvmlDevice, unsigned*, void*))          \
  X(process_name, "nvmlSystemGetProcessName", (unsigned, char*, unsigned))                                \
  X(event_set, "nvmlEventSetCreate", (void**))                                                            \
  X(register_events, "nvmlDeviceRegisterEvents", (NvmlDevice, unsigned long long, void*))                 \
  X(wait_for_event, "nvmlEventSetWait_v2", (void*, void*, unsigned))                                      \
  X(free_event_set, "nvmlEventSetFree", (void*))

using NvmlDevice = void*;

/// Null where the library lacks one.
struct NvmlFunctions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses.
#define WARPCLOCK_DECLARE(name, symbol, parameters) int(*name) parameters = nullptr;
  WARPCLOCK_NVML_FUNCTIONS(WARPCLOCK_DECLARE)
#undef WARPCLOCK_DECLARE
};

/// NVIDIA's management library, loaded at run time. The declarations are our own because the toolkit has no nvml.h.
class Nvml {
 public:
  /// `pci_bus_id` has the format of cuDeviceGetPCIBusId. An index would not do, because NVML also counts devices that
  /// CUDA_VISIBLE_DEVICES hides. Error "no-nvml" if the library or the device is missing.
  [[nodiscard]] static Expected<Nvml> open(const std::string& pci_bus_id,
                                           const std::string& library = "libnvidia-ml.so.1");

  [[nodiscard]] NvmlFacts facts() const;
  [[nodiscard]] NvmlReading read() const;
  /// Of the whole board since the driver was loaded; nothing if it is not counted.
  [[nodiscard]] std::optional<double> energy_j() const;
  [[nodiscard]] std::vector<GpuProcess> processes() const;
  /// See DeviceFacts.
  [[nodiscard]] std::map<std::string, double> memory_errors() const;

  /// The set into which NVML puts the Xids of this GPU from now on; null if it does not.
  [[nodiscard]] std::shared_ptr<void> xid_events() const;
  /// The Xid that came first and was not taken yet.
  [[nodiscard]] std::optional<std::uint64_t> next_xid(void* events) const;

  Nvml(const NvmlFunctions& functions, NvmlDevice device) : functions_(functions), device_(device) {}

 private:
  NvmlFunctions functions_;
  NvmlDevice device_;
};

/// Another GPU whose memory the kernels of this one can access.
class Peer {
 public:
  /// `self` is the device whose context is current when memory() is called.
  Peer(const Driver& driver, CUdevice self) : driver_(driver), self_(self) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  /// Runs `allocate` with the peer's context current. The first call opens the first other GPU in reach. Errors: "peer"
  /// if there is none, with the reason; those of `allocate`; "cuda", "fault".
  template <class Allocate>
  [[nodiscard]] Expected<void> memory(Allocate&& allocate) {
    WARPCLOCK_TRY(enter());
    Expected<void> done = allocate();
    const Expected<void> left = leave();
    return done ? left : done;
  }

 private:
  [[nodiscard]] Expected<void> open();
  [[nodiscard]] Expected<void> enter();
  [[nodiscard]] Expected<void> leave();

  const Driver& driver_;
  CUdevice self_;
  CUcontext own_ = nullptr;
  std::optional<CUdevice> device_;
  CUcontext context_ = nullptr;
};

struct Driver;
class Nvml;

/// Facts about the device from the driver and NVML; 0 or empty if unknown.
struct DeviceFacts {
  std::string name, slug, arch;  ///< "NVIDIA H200", "nvidia-h200", "sm_90a"
  std::string chip;              ///< CUPTI's name, "GH100"
  int sms = 0;                   ///< that work runs on
  std::int64_t l2_bytes = 0, memory_bytes = 0, shared_per_sm_bytes = 0, shared_per_block_bytes = 0;
  std::int64_t page_bytes = 0;  ///< the smallest allocation granularity of cuMemCreate
  int memory_bus_bits = 0;
  double sm_clock_max_mhz = 0, memory_clock_max_mhz = 0;
  std::string ecc;  ///< "on", "off", "unknown"
  std::string driver;
  /// The identity of the board and its clock settings; empty or 0 if NVML does not report them.
  std::string uuid, pci, vbios, board;  ///< "GPU-5f...", "0000:1B:00.0", "96.00.99.00.01", "692-2G520-0200-000"
  std::string serial;                   ///< of the board, as printed on it
  std::string persistence;              ///< "on", "off"
  double sm_clock_set_mhz = 0, memory_clock_set_mhz = 0;  ///< application clocks
  double power_limit_w = 0;                               ///< the limit in force
  /// Errors of its memory since it was made, as NVML counts them: "corrected", "uncorrected", "retired_pages",
  /// "remapped_rows"; and 1 if "remap_pending" or "remap_failed". What NVML does not report is absent.
  std::map<std::string, double> memory_errors;
  std::vector<std::string> peers;  ///< other GPUs, in words: "NVIDIA H200, performance rank 0, native atomics"
  std::string partition;           ///< "green context" or "MIG 1g.18gb", if that is not the whole GPU
  int parent_sms = 0;              ///< of a green context: SMs of the GPU

  bool operator==(const DeviceFacts&) const = default;
};

/// The name of the device's folder in reports/: "nvidia-h200". Letters, digits and single dashes, never empty.
[[nodiscard]] std::string device_slug(std::string_view name);

/// "MIG 1g.18gb" of "NVIDIA H200 MIG 1g.18gb", as the driver names a slice; else empty.
[[nodiscard]] std::string mig_slice(std::string_view name);

/// The target to compile for: architecture-specific from compute capability 9.0 on (PTX ISA, ".target").
[[nodiscard]] Arch device_arch(int major, int minor);

/// `nvml` may be null; `device` is a CUdevice. Error "cuda" if the driver does not answer.
[[nodiscard]] Expected<DeviceFacts> device_facts(const Driver& driver, int device, const Nvml* nvml);

}  // namespace warpclock
