#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/job/job.hpp"
#include "plan/plan.hpp"

namespace warpclock {

/// The launch limits of a device and of one kernel on it.
struct ShapeLimits {
  std::int64_t sms = 0;
  std::int64_t threads_per_block = 0;  ///< for this kernel: its registers may allow fewer than the device does
  std::int64_t shared_per_block = 0;   ///< the device's opt-in maximum
  std::int64_t static_shared = 0;      ///< static shared memory of this kernel, in bytes
  std::int64_t blocks = 2147483647;    ///< grid dimension x (CUDA Programming Guide, "Technical Specifications")
  std::int64_t cluster = 1;            ///< 16 if the device has clusters, else 1
};

struct Shape {
  unsigned blocks = 1, threads = 32, cluster = 1, shared_bytes = 0;

  [[nodiscard]] std::int64_t warps() const { return threads / 32; }
  /// Each warp stores both of its clock readings.
  [[nodiscard]] std::int64_t clock_words() const { return blocks * warps() * 2; }
  [[nodiscard]] std::int64_t clock_bytes() const { return clock_words() * 8; }
};

/// The launch with the device's SM count filled in. Error "launch" names the limit that it exceeds.
[[nodiscard]] Expected<Shape> resolve_shape(const Launch& launch, const ShapeLimits& limits);

/// "132 blocks of 256 threads, clusters of 2, 49152 B of dynamic shared memory".
[[nodiscard]] std::string to_string(const Shape& shape);

/// A kernel that is ready to be launched.
struct ReadyKernel {
  std::int64_t n = 0;
  CUfunction function = nullptr;
  Shape shape;
  std::int64_t carveout = 0;
  std::int64_t further_passes = 0;
  std::int64_t at = 0, at_step = 0;  ///< the value of `args.at`: launch i gets at + i x at_step
  int launches = 0, discarded = 1;   ///< recorded ones, and ones before them
  std::int64_t part = 0;             ///< of JobContents
};

/// Loads the kernels of jobs, checks their shapes against the device's limits, and sets the attributes of functions.
class KernelLoader {
 public:
  KernelLoader(const Driver& driver, CUdevice device);

  /// Errors: "launch", "io", "cuda", "fault".
  [[nodiscard]] Expected<std::vector<ReadyKernel>> load(const Job& job);

  /// Unloads the modules of a finished job. Error "fault".
  [[nodiscard]] Expected<void> unload(const Job& job);

  /// Done before each launch, because cases that differ only in their launch share a kernel. Error "launch".
  [[nodiscard]] Expected<void> configure(const ReadyKernel& kernel);

 private:
  /// Attributes that a launch needs set on its function.
  struct Configuration {
    std::int64_t shared_bytes = 0, carveout = 0;
    bool large_cluster = false;

    bool operator==(const Configuration&) const = default;
  };

  [[nodiscard]] Expected<ShapeLimits> limits(CUfunction function) const;

  const Driver& driver_;
  CUdevice device_;
  ModuleCache modules_;
  std::map<CUfunction, Configuration> configured_;
};

/// A refused launch is due to its shape, whereas a sticky error is due to an earlier launch.
[[nodiscard]] Expected<void> about_shape(Expected<void> done);

}  // namespace warpclock
