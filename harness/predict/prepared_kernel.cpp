#include "predict/prepared_kernel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/lookup.hpp"
#include "predict/chosen_ways.hpp"
#include "predict/counts.hpp"
#include "predict/last_block.hpp"

namespace warpclock {

Streams recorded_streams(const LoadedKernel& kernel, const PreparedKernel& prepared, KernelPath& path, bool over) {
  constexpr std::int64_t some_trips = 32, all_trips = std::numeric_limits<std::int64_t>::max();
  const bool waits = path.executed.waits && path.executed.missing.empty();
  if (!waits && !meets_in_part(kernel.listing) && !path.executed.calls) return nullptr;
  std::vector<KernelLoop> loops = path.loops;
  for (KernelLoop& loop : loops) loop.trips = loop.trips.value_or(some_trips);
  ChosenWays ways(kernel, loops, path.by_loops, all_trips);
  const auto way = [&](const WarpPlace& warp, const CodeStep& step) {
    auto chosen = ways.way(warp, step);
    if (chosen && over && step.target_index > step.index && ways.open().contains(step.index)) chosen->jumps = true;
    return chosen;
  };
  const bool at_once = prepared.place.blocks_of_sm() <= prepared.place.blocks_per_sm;
  SmStreams streams;
  if (waits)
    streams =
        WARPCLOCK_TRY(sm_streams(kernel, prepared.launch.launch, way, static_cast<std::uint64_t>(prepared.place.sms)));
  else
    streams.blocks.push_back(WARPCLOCK_TRY(block_streams(kernel, prepared.launch.launch, way, at_once)));
  for (KernelLoop& loop : path.loops) {
    if (loop.trips || streams.are_cut() || ways.loops_asked().contains(loop.jump)) continue;
    loop.trips = streams.trips(loop.header, loop.end);
    loop.trips_from = by_values;
  }
  return std::make_shared<const SmStreams>(std::move(streams));
}

namespace {

/// Whether blocks of the one path access memory where those of the other do not.
bool goes_further(const KernelPath& one, const KernelPath& other) {
  return std::ranges::any_of(one.executed.patterns,
                             [&](const auto& access) { return !other.executed.patterns.contains(access.first); });
}

/// Adds the last of the blocks that count themselves. Errors of kernel_path().
Expected<void> add_last(PreparedKernel& made, const LoadedKernel& kernel, const PredictOptions& options) {
  const auto launch = launch_of_last(kernel, made.launch.launch, made.path);
  if (!launch) return {};
  PreparedKernel other{.place = made.place, .buffers = made.buffers, .launch = made.launch, .path = made.path};
  other.place.blocks = 1;
  PreparedKernel last = other;
  last.launch.launch = *launch;
  last.path = WARPCLOCK_TRY(kernel_path(kernel, options, *launch, made.place.room_of_block(), 1));
  if (!last.path.executed.missing.empty() || !goes_further(last.path, made.path)) return {};
  for (PreparedKernel* one : {&last, &other}) one->streams = recorded_streams(kernel, *one, one->path);
  made.last = std::make_shared<const PreparedKernel>(std::move(last));
  made.other = std::make_shared<const PreparedKernel>(std::move(other));
  return {};
}

}  // namespace

Expected<PreparedKernel> prepared_kernel(const LoadedKernel& kernel, const Machine& machine,
                                         const PredictOptions& options) {
  if (kernel.listing.instructions.empty()) return fail("predict", "the kernel has no instructions");
  if (!options.executed.by_address.empty()) WARPCLOCK_TRY(counts_are_of(options.executed, kernel.listing));
  PreparedKernel made;
  made.place = WARPCLOCK_TRY(place_launch(kernel.facts, machine, options));
  LaunchShape shape = options.shape;
  auto given = WARPCLOCK_TRY(given_arguments(options.given, kernel.facts));
  std::ranges::move(given, std::back_inserter(shape.arguments));
  for (const GivenArgument& one : shape.arguments) {
    if (one.argument.bytes > 0) made.buffers[one.number] = one.argument.bytes;
  }
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (shape.threads() != made.place.threads) shape.block = {made.place.threads, 1, 1};
  if (shape.grid[0] <= 0) shape.grid = {static_cast<int>(std::min(made.place.blocks, most)), 1, 1};
  made.launch = WARPCLOCK_TRY(kernel_launch(kernel, shape));
  const auto at_once = static_cast<std::uint64_t>(made.place.blocks_at_once());
  made.path = WARPCLOCK_TRY(kernel_path(kernel, options, made.launch.launch, made.place.room_of_block(), at_once));
  for (const auto& [argument, bytes] : made.path.executed.extents) made.buffers[argument] = bytes;
  made.streams = recorded_streams(kernel, made, made.path);
  WARPCLOCK_TRY(add_last(made, kernel, options));
  return made;
}

Expected<LaunchMemory> launch_memory(const LoadedKernel& kernel, const PredictOptions& options,
                                     const PreparedKernel& prepared, MemoryLevel level, bool apart) {
  const ExecutedKernel& executed = prepared.path.executed;
  LaunchMemory made;
  made.known = {prepared.buffers, level, options.hits, options.strides, apart};
  made.known.executed = executed.patterns, made.known.lost = executed.lost;
  made.known.presumed_lanes = executed.presumed, made.known.presumed = prepared.launch.presumed;
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
    const auto& opcode = kernel.listing.instructions[index].opcode;
    const bool once = opcode == "UBLKCP" || opcode.starts_with("UTMA");  // by one warp of the block
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
