#pragma once

#include <cstdint>
#include <string>

namespace warpclock {

/// Facts the driver and NVML state about the device; 0 or empty when unknown.
struct DeviceFacts {
  std::string name, slug, arch;  ///< "NVIDIA H200", "nvidia-h200", "sm_90a"
  std::string chip;              ///< CUPTI's name, "GH100"
  int sms = 0;
  std::int64_t l2_bytes = 0, memory_bytes = 0, shared_per_sm_bytes = 0, shared_per_block_bytes = 0;
  int memory_bus_bits = 0;
  double sm_clock_max_mhz = 0, memory_clock_max_mhz = 0;
  std::string ecc;               ///< "on", "off", "unknown"
  std::string driver;

  bool operator==(const DeviceFacts&) const = default;
};

}  // namespace warpclock
