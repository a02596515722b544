#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/executed_kernel.hpp"
#include "predict/kernel_path.hpp"
#include "predict/launch_placement.hpp"
#include "predict/meeting/block_streams.hpp"
#include "predict/memory/memory_plan.hpp"
#include "predict/predict.hpp"

namespace warpclock {

/// What warps do if they meet at mbarriers, or only some of a block at a barrier, or wait for other blocks; else null.
using Streams = Expected<std::shared_ptr<const SmStreams>>;

/// What no assumption changes: how a kernel is launched, and what executing it says.
struct PreparedKernel {
  LaunchPlacement place;
  std::map<int, std::int64_t> buffers;  ///< bytes of those that were given, by the number of the argument
  KernelLaunch launch;
  KernelPath path;
  Streams streams = nullptr;
  /// Where blocks count themselves, and the last goes another way: a launch of it alone, and one of another block
  /// alone.
  std::shared_ptr<const PreparedKernel> last, other;
};

/// What block_streams() or sm_streams() records. Loops without known trips have some, or, if values decide them, those
/// are known from then on. `over`: jumps forward that nothing decides are taken.
[[nodiscard]] Streams recorded_streams(const LoadedKernel& kernel, const PreparedKernel& prepared, KernelPath& path,
                                       bool over = false);

/// Errors of predict().
[[nodiscard]] Expected<PreparedKernel> prepared_kernel(const LoadedKernel& kernel, const Machine& machine,
                                                       const PredictOptions& options);

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
