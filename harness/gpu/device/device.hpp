#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "plan/arch.hpp"

namespace warpclock {

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
  int sms = 0;
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

  bool operator==(const DeviceFacts&) const = default;
};

/// The name of the device's folder in reports/: "nvidia-h200". Letters, digits and single dashes, never empty.
[[nodiscard]] std::string device_slug(std::string_view name);

/// The target to compile for: architecture-specific from compute capability 9.0 on (PTX ISA, ".target").
[[nodiscard]] Arch device_arch(int major, int minor);

/// `nvml` may be null; `device` is a CUdevice. Error "cuda" if the driver does not answer.
[[nodiscard]] Expected<DeviceFacts> device_facts(const Driver& driver, int device, const Nvml* nvml);

}  // namespace warpclock
