#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "gpu/device/device.hpp"

namespace warpclock {

/// What NVML reports of a GPU while something runs on it.
struct GpuEvents {
  std::map<std::string, double> xids;           ///< how often each came, by its number ("31")
  std::map<std::string, double> memory_errors;  ///< how many more there are now, by the names of DeviceFacts

  bool operator==(const GpuEvents&) const = default;
};

/// "Xid 31 (3 times), corrected +2"; empty if there were none.
[[nodiscard]] std::string in_words(const GpuEvents& events);

/// "corrected 3, retired pages 1", "none", or empty if nothing counts them.
[[nodiscard]] std::string memory_errors_in_words(const DeviceFacts& device);

/// Sees what NVML reports from now on. Xids are those of all processes on the GPU; a driver that does not deliver them
/// (in a partition of a GPU, in some containers) leaves them out.
class GpuWatch {
 public:
  /// Error "no-nvml", as Nvml::open.
  [[nodiscard]] static Expected<GpuWatch> start(const std::string& pci_bus_id);
  explicit GpuWatch(Nvml nvml);

  [[nodiscard]] GpuEvents seen();

 private:
  Nvml nvml_;
  std::map<std::string, double> before_;
  std::shared_ptr<void> xid_events_;  ///< null if the driver has none
  std::map<std::string, double> xids_;
};

}  // namespace warpclock
