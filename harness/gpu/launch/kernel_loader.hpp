#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/modules.hpp"
#include "gpu/job/job.hpp"
#include "gpu/launch/shape.hpp"

namespace warpclock {

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
