#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/memory.hpp"
#include "gpu/job/call.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"
#include "gpu/launch/clock.hpp"
#include "gpu/launch/launcher.hpp"

namespace warpclock {

/// See loaded_code().
using LoadedCode = std::function<Expected<std::string>(const std::function<Expected<void>()>&)>;

/// Loads the job's PTX, so that the driver assembles it, and writes the cubin that `loaded_code` returns to the job's
/// `cubin_path`. Then times several loads of each. The PTX is assembled each time only if the environment of the
/// process disables the driver's cache. Errors: "io"; "compile-error" with the reason of the driver's compiler; "cuda",
/// "memory", "fault"; those of `loaded_code`.
[[nodiscard]] Expected<Observation> assemble_by_driver(const Driver& driver, const Job& job,
                                                       const LoadedCode& loaded_code);

/// Launches a kernel with arguments of its own, and times it by events. Everything goes through the default stream.
class Caller {
 public:
  Caller(const Driver& driver, CUdevice device, Launcher& launcher, ClockMeter& meter)
      : driver_(driver), device_(device), launcher_(launcher), meter_(meter), modules_(driver) {}

  /// Loads the kernel, checks its launch, and allocates and fills its buffers. Errors: "launch" (the text names the
  /// limit), "memory", "data", "io", "cuda", "fault".
  [[nodiscard]] Expected<void> prepare(const std::string& cubin_path, const Call& call);

  /// What is in the caches is as the call wants it: swept, or warmed by a launch. Waits.
  [[nodiscard]] Expected<void> settle();
  /// One launch; waits for its end.
  [[nodiscard]] Expected<void> run();

  /// Microseconds between the events around each launch.
  [[nodiscard]] Expected<std::vector<double>> time();
  /// The same of a kernel that does nothing, in a grid of one block.
  [[nodiscard]] Expected<std::vector<double>> time_empty();
  /// The same of the library's call that does the same work, on random f16 of its own. Errors: those of CublasHandle,
  /// "memory", "cuda", "fault".
  [[nodiscard]] Expected<LibraryTimes> time_library(const LoadCublas& load);

  /// Frees the buffers.
  void release();

 private:
  [[nodiscard]] Expected<void> check_shape() const;
  [[nodiscard]] Expected<CUdeviceptr> filled(const CallArgument& argument);
  [[nodiscard]] Expected<void> launch();
  [[nodiscard]] Expected<void> finish();
  [[nodiscard]] Expected<void> launch_empty(CUfunction empty);
  [[nodiscard]] Expected<std::vector<double>> time_each(const std::function<Expected<void>()>& launch_one);

  const Driver& driver_;
  CUdevice device_;
  Launcher& launcher_;
  ClockMeter& meter_;
  ModuleCache modules_;
  Call call_;
  CUfunction function_ = nullptr;
  std::vector<std::unique_ptr<DeviceBuffer>> buffers_;
  std::vector<std::byte> arguments_;
};

}  // namespace warpclock
