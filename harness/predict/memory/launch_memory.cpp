#include "predict/memory/launch_memory.hpp"

#include "base/lookup.hpp"

namespace warpclock {

Expected<LaunchMemory> launch_memory(const LoadedKernel& kernel, const PredictOptions& options,
                                     const PreparedKernel& prepared, MemoryLevel level, bool apart) {
  const ExecutedKernel& executed = prepared.path.executed;
  LaunchMemory made;
  made.known = {prepared.buffers, level, options.hits, options.strides, apart};
  made.known.executed = executed.patterns, made.known.lost = executed.lost;
  made.known.presumed = prepared.launch.presumed;
  made.known.all_executed = executed.missing.empty();
  made.plan = WARPCLOCK_TRY(plan_memory(kernel, made.known));
  return made;
}

std::map<std::size_t, double> executions_of(const LoadedKernel& kernel, const LaunchPlacement& place,
                                            const KernelPath& path, const MemoryPlan& plan) {
  std::map<std::size_t, double> all;
  for (const auto& [index, pattern] : plan.patterns) {
    if (const double* executed = value_at(path.executed.executions, index)) {
      all[index] = *executed;
      continue;
    }
    const bool once = kernel.listing.instructions[index].opcode == "UBLKCP";  // by one warp of the block
    double times = static_cast<double>(place.blocks) * (once ? 1 : place.block_warps());
    for (const KernelLoop& loop : path.loops) {
      if (index >= loop.header && index <= loop.jump) times *= static_cast<double>(loop.trips.value_or(1));
    }
    all[index] = times;
  }
  return all;
}

Expected<AccessedBuffers> accessed_by(const LoadedKernel& kernel, const Machine& machine,
                                      const PredictOptions& options) {
  const PreparedKernel prepared = WARPCLOCK_TRY(prepared_kernel(kernel, machine, options));
  const LaunchMemory memory = WARPCLOCK_TRY(launch_memory(kernel, options, prepared));
  return accessed_buffers(kernel.listing, memory.plan, memory.known,
                          executions_of(kernel, prepared.place, prepared.path, memory.plan));
}

}  // namespace warpclock
