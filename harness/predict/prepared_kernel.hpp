#pragma once

#include <cstdint>
#include <map>

#include "base/error.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/executed_kernel.hpp"
#include "predict/kernel_path.hpp"
#include "predict/launch_placement.hpp"
#include "predict/predict.hpp"

namespace warpclock {

/// What no assumption changes: how a kernel is launched, and what executing it says.
struct PreparedKernel {
  LaunchPlacement place;
  std::map<int, std::int64_t> buffers;  ///< bytes of those that were given, by the number of the argument
  KernelLaunch launch;
  KernelPath path;
};

/// Errors of predict().
[[nodiscard]] Expected<PreparedKernel> prepared_kernel(const LoadedKernel& kernel, const Machine& machine,
                                                       const PredictOptions& options);

}  // namespace warpclock
