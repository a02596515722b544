#pragma once

#include <cstddef>
#include <map>

#include "base/error.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/kernel_path.hpp"
#include "predict/launch_placement.hpp"
#include "predict/memory/memory_plan.hpp"
#include "predict/predict.hpp"
#include "predict/prepared_kernel.hpp"

namespace warpclock {

/// What is known of the memory that a launch accesses.
struct LaunchMemory {
  MemoryKnown known;
  MemoryPlan plan;
};

/// `level` and `apart` are taken for granted, as MemoryKnown has them. Errors of plan_memory().
[[nodiscard]] Expected<LaunchMemory> launch_memory(const LoadedKernel& kernel, const PredictOptions& options,
                                                   const PreparedKernel& prepared, MemoryLevel level = MemoryLevel::L2,
                                                   bool apart = false);

/// How often warps of the whole launch execute each access of the plan, by index.
[[nodiscard]] std::map<std::size_t, double> executions_of(const LoadedKernel& kernel, const LaunchPlacement& place,
                                                          const KernelPath& path, const MemoryPlan& plan);

/// What a launch accesses of each of its buffers, by the number of the argument. Nothing is simulated. Errors of
/// predict().
[[nodiscard]] Expected<AccessedBuffers> accessed_by(const LoadedKernel& kernel, const Machine& machine,
                                                    const PredictOptions& options);

}  // namespace warpclock
