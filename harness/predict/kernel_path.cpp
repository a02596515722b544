#include "predict/kernel_path.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "predict/chosen_ways.hpp"
#include "predict/executed_kernel.hpp"
#include "predict/loop_choice.hpp"

namespace warpclock {
namespace {

bool is_open_way(const Listing& listing, std::size_t i) {
  const Instruction& one = listing.instructions[i];
  const std::size_t target = target_index(listing, one);
  return is_jump(one) && one.opcode != "CALL" && target > i && target < listing.instructions.size() &&
         successors(listing, i).size() > 1;
}

void take_executed(KernelPath& path) {
  const ExecutedKernel& executed = path.executed;
  for (KernelLoop& loop : path.loops) {
    const EnteredLoop* one = value_at(executed.loops, loop.id);
    if (loop.trips || executed.open.contains(loop.jump)) continue;
    if (one == nullptr && !executed.open.empty()) continue;
    loop.trips = one == nullptr ? 0 : std::max<std::int64_t>(1, std::llround(one->trips / one->entries));
    loop.trips_from = by_values;
    if (one == nullptr) continue;
    for (const double trips : one->of_warps) loop.of_warps.push_back(trips / static_cast<double>(*loop.trips));
  }
  path.taken = executed.taken;
  path.open = executed.open;
}

void take_counts(KernelPath& path, const std::map<std::size_t, double>& parts) {
  for (const auto& [jump, part] : parts) {
    path.taken[jump] = {part};
    path.open.erase(jump);
  }
}

/// Of what was not executed, what calls a function for rare numbers is gone past, and other jumps are open.
void take_nothing(KernelPath& path, const Listing& listing) {
  const auto& code = listing.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_open_way(listing, i) || path.by_loops.contains(i)) continue;
    if (calls_before(listing, i, target_index(listing, code[i])))
      path.taken[i] = {1};
    else
      path.open.insert(i);
  }
}

}  // namespace

bool KernelPath::skip_loops(const std::function<bool(std::size_t header)>& entered) {
  bool any = false;
  for (KernelLoop& loop : loops) {
    if (loop.trips || !loop.decided || entered(loop.header)) continue;
    loop.trips = 0;
    any = true;
  }
  return any;
}

std::map<std::size_t, double> parts_by_counts(const Listing& listing, const FlowGraph& graph,
                                              const ExecutedCounts& counts) {
  std::map<std::size_t, double> parts;
  if (counts.by_address.empty()) return parts;
  const auto& code = listing.instructions;
  const auto times = [&](std::size_t i) {
    return static_cast<double>(value_or(counts.by_address, static_cast<std::int64_t>(code[i].address), 0));
  };
  // A block to which only one way leads was executed as often as that way was taken.
  const auto only_from = [&](std::size_t block, std::size_t from) {
    return graph.blocks[block].before.size() == 1 && graph.blocks[block].before.front() == from;
  };
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    const std::size_t jump = graph.blocks[b].end - 1, target = target_index(listing, code[jump]);
    const bool ends = code[jump].opcode == "EXIT" && !code[jump].predicate.empty();
    if (!(ends || is_open_way(listing, jump)) || times(jump) == 0) continue;
    for (const std::size_t next : graph.blocks[b].next) {
      if (!only_from(next, b)) continue;
      const bool by_jump = graph.blocks[next].first == target;
      const double part = std::clamp(times(graph.blocks[next].first) / times(jump), 0.0, 1.0);
      // Lanes of a warp may go both ways; what it executes before the target says more.
      if (!by_jump || !parts.contains(jump)) parts[jump] = by_jump ? part : 1 - part;
    }
  }
  return parts;
}

Expected<KernelPath> kernel_path(const LoadedKernel& kernel, const PredictOptions& options,
                                 const ExecutedLaunch& launch, const CacheRoom& room, std::uint64_t at_once) {
  KernelPath path;
  path.loops = WARPCLOCK_TRY(kernel_loops(kernel, options));
  const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
  path.aside = jumps_aside(kernel.listing, graph);
  path.by_loops = jumps_by_loops(kernel.listing, graph, path.loops);
  path.executed = executed_kernel({kernel, graph, path.loops, path.by_loops, launch, room, at_once});
  if (path.executed.missing.empty())
    take_executed(path);
  else
    take_nothing(path, kernel.listing);
  take_counts(path, parts_by_counts(kernel.listing, graph, options.executed));
  for (const KernelLoop& loop : path.loops) path.taken.erase(loop.jump), path.open.erase(loop.jump);
  return path;
}

}  // namespace warpclock
