#include "predict/kernel_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "predict/meeting/mbarrier_use.hpp"

namespace warpclock {
namespace {

bool conditional(const Listing& listing, std::size_t index) {
  return is_jump(listing.instructions[index]) && successors(listing, index).size() > 1;
}

bool may_end(const Instruction& instruction) {
  return instruction.opcode == "EXIT" && !instruction.predicate.empty() && instruction.predicate != "!PT";
}

/// The last jump out of the loop that each trip passes; without one, the last EXIT there.
std::optional<std::size_t> leaving(const Listing& listing, const FlowGraph& graph, const Loop& loop) {
  std::optional<std::size_t> found, ends;
  for (const std::size_t block : loop.blocks) {
    const std::size_t last = graph.blocks[block].end - 1;
    if (may_end(listing.instructions[last]) && on_each_trip(graph, loop, block)) ends = last;
    const bool leaves = std::ranges::any_of(
        graph.blocks[block].next, [&](std::size_t next) { return !std::ranges::binary_search(loop.blocks, next); });
    if (leaves && conditional(listing, last) && on_each_trip(graph, loop, block)) found = last;
  }
  return found ? found : ends;
}

std::optional<std::size_t> deciding(const Listing& listing, const FlowGraph& graph, const Loop& loop) {
  std::optional<std::size_t> back;
  for (const std::size_t latch : loop.latches) {
    const std::size_t last = graph.blocks[latch].end - 1;
    if (conditional(listing, last)) back = std::max(back.value_or(0), last);
  }
  return back ? back : leaving(listing, graph, loop);
}

/// The instructions that wait for an mbarrier.
std::vector<std::size_t> awaits_of(const Listing& listing) {
  std::vector<std::size_t> awaits;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const auto use = mbarrier_use(listing.instructions[i]);
    if (use && use->kind == MbarrierUse::Kind::Await) awaits.push_back(i);
  }
  return awaits;
}

/// Why one trip is enough: a wait for an mbarrier, which is simulated as one, or one lane after the other, of which one
/// is active.
std::string waits_for(const Listing& listing, const FlowGraph& graph, const Loop& loop, std::size_t jump,
                      const std::vector<std::size_t>& awaits) {
  const Instruction& back = listing.instructions[jump];
  if (back.text.contains(".ANY")) return "one lane is active";
  const Effects decides = effects_of(back);
  for (const std::size_t block : loop.blocks) {
    for (auto await = std::ranges::lower_bound(awaits, graph.blocks[block].first);
         await != awaits.end() && *await < graph.blocks[block].end; ++await) {
      const Effects waits = effects_of(listing.instructions[*await]);
      if (std::ranges::any_of(decides.guard, [&](Register reg) { return waits.writes_to(reg); }))
        return "an mbarrier is waited for";
    }
  }
  return "";
}

/// How many instructions are targets of jumps back.
std::size_t jumped_back_to(const Listing& listing) {
  std::set<std::size_t> targets;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const std::size_t target = target_index(listing, listing.instructions[i]);
    if (target <= i) targets.insert(target);
  }
  return targets.size();
}

/// Executions of the jump's block over those of what comes before the loop.
std::optional<std::int64_t> trips_by_counts(const Listing& listing, const FlowGraph& graph, const Loop& loop,
                                            const std::map<std::int64_t, std::int64_t>& executed) {
  const auto count = [&](std::size_t block) -> std::int64_t {
    const auto found =
        executed.find(static_cast<std::int64_t>(listing.instructions[graph.blocks[block].first].address));
    return found == executed.end() ? 0 : found->second;
  };
  const std::int64_t inside = count(loop.header);
  std::int64_t entered = 0;
  for (const std::size_t before : graph.blocks[loop.header].before) {
    if (!std::ranges::binary_search(loop.blocks, before)) entered += count(before);
  }
  if (!executed.empty() && inside == 0) return 0;
  if (entered <= 0) return std::nullopt;
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(inside) / static_cast<double>(entered)));
}

}  // namespace

bool is_inside(const std::vector<KernelLoop>& loops, const KernelLoop& loop, int id) {
  for (int parent = loop.parent; parent >= 0;) {
    if (parent == id) return true;
    const auto above = std::ranges::find(loops, parent, &KernelLoop::id);
    parent = above == loops.end() ? -1 : above->parent;
  }
  return false;
}

Expected<std::vector<KernelLoop>> kernel_loops(const LoadedKernel& kernel, const PredictOptions& options) {
  constexpr std::size_t most_loops = 500, most_back = 10'000;
  const Listing& listing = kernel.listing;
  if (const std::size_t back = jumped_back_to(listing); back > most_back)
    return fail("predict",
                fmt::format("the kernel jumps back to {} places, and no more than {} are followed", back, most_back));
  const FlowGraph graph = flow_graph(listing, kernel.facts.indirect);
  if (graph.too_nested) return fail("predict", "the loops of the kernel are nested too deeply to be followed");
  if (graph.loops.size() > most_loops)
    return fail("predict", fmt::format("the kernel has {} loops, and no more than {} are simulated", graph.loops.size(),
                                       most_loops));
  for (const auto& [id, trips] : options.trips) {
    if (std::cmp_less(id, graph.loops.size())) continue;
    const std::string there = graph.loops.empty() ? "the kernel has no loops"
                              : graph.loops.size() == 1
                                  ? "the kernel has only loop 0"
                                  : fmt::format("the kernel has loops 0 to {}", graph.loops.size() - 1);
    return fail("predict", fmt::format("--trips {}={}: there is no loop {}: {}, as `warpclock inspect` lists them", id,
                                       trips, id, there));
  }
  const std::vector<std::size_t> awaits = awaits_of(listing);
  std::vector<KernelLoop> loops;
  for (std::size_t id = 0; id < graph.loops.size(); ++id) {
    const Loop& loop = graph.loops[id];
    KernelLoop one{.id = static_cast<int>(id)};
    one.header = graph.blocks[loop.header].first;
    if (loop.parent != no_index) one.parent = static_cast<int>(loop.parent);
    const auto jump = deciding(listing, graph, loop);
    one.decided = jump.has_value();
    const bool back = !jump || std::ranges::any_of(loop.latches, [&](std::size_t latch) {
      return graph.blocks[latch].end - 1 == *jump;
    });
    for (const std::size_t latch : loop.latches) {
      const std::size_t last = graph.blocks[latch].end - 1;
      if (back && last != jump) one.others.push_back(last);
    }
    for (const std::size_t block : loop.blocks) one.end = std::max(one.end, graph.blocks[block].end);
    one.jump = jump.value_or(graph.blocks[loop.blocks.back()].end - 1);
    if (const auto given = options.trips.find(one.id); given != options.trips.end()) {
      one.trips = given->second;
      one.trips_from = by_option;
      one.said = true;
    } else if (const auto known = trips_by_counts(listing, graph, loop, options.executed.by_address)) {
      one.trips = known;
      one.trips_from = "--counts";
      one.said = true;
    } else if (const std::string why = jump ? waits_for(listing, graph, loop, *jump, awaits) : ""; !why.empty()) {
      one.trips = 1;
      one.trips_from = why;
    }
    loops.push_back(std::move(one));
  }
  return loops;
}

}  // namespace warpclock
