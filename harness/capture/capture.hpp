#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpclock {

/// A GPU that a captured program used.
struct CapturedDevice {
  std::string name, uuid, arch;  ///< "NVIDIA H100 80GB HBM3", 32 hex digits, "sm_90"
  std::int64_t sms = 0;
  double most_mhz = 0;  ///< of the SM clock, as the driver states it

  bool operator==(const CapturedDevice&) const = default;
};

/// A parameter of a launch: where it is among those of its kernel, and its bytes as hex digits.
struct CapturedParameter {
  std::int64_t at = 0;
  std::string bytes;

  bool operator==(const CapturedParameter&) const = default;
};

/// A place in a parameter that had an address of memory on the device.
struct CapturedPointer {
  std::int64_t at = 0;                        ///< among the parameters
  std::int64_t offset = 0, buffer_bytes = 0;  ///< in its buffer, and of it
  std::int64_t buffer = 0;                    ///< its address in the captured process
  std::int64_t data_bytes = 0;                ///< how many bytes from the address on were kept
  std::string data;                           ///< the name of the file in data/ that has them; empty: none
  /// How many launches on its device ago a launch last had its address, most often; 0: never. Nothing: not known.
  std::optional<std::int64_t> ago;

  bool operator==(const CapturedPointer&) const = default;
};

/// Nanoseconds from the begin of a launch on the GPU to its end, by its activity records.
struct CapturedTimes {
  std::int64_t runs = 0;
  double total_ns = 0, least_ns = 0, median_ns = 0, most_ns = 0;
  double sm_mhz = 0;  ///< median of NVML's readings while the program ran; 0: none

  bool operator==(const CapturedTimes&) const = default;
};

/// A distinct launch of a kernel.
struct CapturedLaunch {
  std::int64_t kernel = 0, device = 0, process = 0;  ///< from 0, in Capture
  std::vector<std::int64_t> grid, block;             ///< along x, y and z
  std::vector<std::int64_t> cluster;                 ///< empty: as the kernel states
  std::int64_t shared_bytes = 0;                     ///< dynamic
  bool cooperative = false;
  bool overlaps = false;  ///< it may begin before the kernel before it ended, so its time may have a wait in it
  std::string missing;    ///< why its parameters are not known; empty: they are
  std::optional<std::int64_t>
      after;  ///< the launch, from 0 in Capture, after which it most often began; nothing: not known
  std::vector<CapturedParameter> parameters;
  std::vector<CapturedPointer> pointers;
  CapturedTimes times;

  bool operator==(const CapturedLaunch&) const = default;
};

struct CapturedKernel {
  std::string symbol;
  std::string code;     ///< the name of the cubin in code/; empty: it is not known
  std::string missing;  ///< why; empty if it is

  bool operator==(const CapturedKernel&) const = default;
};

struct CapturedProcess {
  std::int64_t pid = 0, parent = 0, driver = 0, cupti = 0;  ///< versions as the driver and CUPTI number them
  bool ended = false;  ///< it came to its end; else it was killed, and its last launches may have no times
  std::string wrong;   ///< why nothing of it was captured

  bool operator==(const CapturedProcess&) const = default;
};

/// What a program launched on GPUs.
struct Capture {
  std::string program;               ///< the version that captured
  std::vector<std::string> command;  ///< that was captured
  std::int64_t exit_status = 0;
  double seconds = 0;  ///< that it ran
  std::vector<CapturedProcess> processes;
  std::vector<CapturedDevice> devices;
  std::vector<CapturedKernel> kernels;
  std::vector<CapturedLaunch> launches;
  std::vector<std::string> notes;  ///< what was not kept

  bool operator==(const Capture&) const = default;
};

}  // namespace warpclock
