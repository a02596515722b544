#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace warpclock {

struct Driver;
class Nvml;

/// Facts the driver and NVML state about the device; 0 or empty when unknown.
struct DeviceFacts {
  std::string name, slug, arch;  ///< "NVIDIA H200", "nvidia-h200", "sm_90a"
  std::string chip;              ///< CUPTI's name, "GH100"
  int sms = 0;
  std::int64_t l2_bytes = 0, memory_bytes = 0, shared_per_sm_bytes = 0, shared_per_block_bytes = 0;
  std::int64_t page_bytes = 0;  ///< the smallest granularity in which cuMemCreate gives memory
  int memory_bus_bits = 0;
  double sm_clock_max_mhz = 0, memory_clock_max_mhz = 0;
  std::string ecc;  ///< "on", "off", "unknown"
  std::string driver;
  /// Which board this is, and how its clocks are set; of what NVML does not state there is nothing.
  std::string uuid, pci, vbios, board;  ///< "GPU-5f...", "0000:1B:00.0", "96.00.99.00.01", "692-2G520-0200-000"
  std::string persistence;              ///< "on", "off"
  double sm_clock_set_mhz = 0, memory_clock_set_mhz = 0;  ///< application clocks
  double power_limit_w = 0;                               ///< in force
  std::vector<std::string> peers;  ///< other GPUs, in words: "NVIDIA H200, performance rank 0, native atomics"

  bool operator==(const DeviceFacts&) const = default;
};

/// The name of the device's folder in reports/: "nvidia-h200". Letters, digits and single dashes, never empty.
[[nodiscard]] std::string device_slug(std::string_view name);

/// What to compile for: from compute capability 9.0 on the architecture-specific target (PTX ISA, ".target").
[[nodiscard]] Arch device_arch(int major, int minor);

/// `nvml` may be null; `device` is a CUdevice. Error "cuda" when the driver does not answer.
[[nodiscard]] Expected<DeviceFacts> device_facts(const Driver& driver, int device, const Nvml* nvml);

}  // namespace warpclock
