#include <algorithm>
#include <map>

#include "inspect/critical_path.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

/// An instruction of a loop, and whether each trip passes it.
struct OwnInstruction {
  std::size_t index = 0;
  bool always = true;
};

/// The instructions of a loop that no inner loop has.
std::vector<OwnInstruction> own_instructions(const FlowGraph& graph, std::size_t id) {
  std::vector<OwnInstruction> own;
  for (const std::size_t block : graph.loops[id].blocks) {
    if (graph.blocks[block].loop != id) continue;
    const bool always = on_each_trip(graph, graph.loops[id], block);
    for (std::size_t i = graph.blocks[block].first; i < graph.blocks[block].end; ++i) own.push_back({i, always});
  }
  return own;
}

std::vector<TripBlock> trip_of(const FlowGraph& graph, std::size_t id) {
  const Loop& loop = graph.loops[id];
  const auto order = in_order_of_flow(graph, loop.header, [&](std::size_t b) { return graph.blocks[b].loop == id; });
  std::map<std::size_t, std::size_t> place;
  std::vector<TripBlock> trip;
  for (const std::size_t block : order) {
    TripBlock& out = trip.emplace_back(graph.blocks[block].first, graph.blocks[block].end);
    for (const std::size_t before : graph.blocks[block].before) {
      // Edges from later blocks go back: to the header, or in a cycle with several entries.
      if (const auto known = place.find(before); known != place.end()) out.before.push_back(known->second);
    }
    out.last = std::ranges::find(loop.latches, block) != loop.latches.end();
    place.emplace(block, trip.size() - 1);
  }
  return trip;
}

LoopFacts facts_of(const LoadedKernel& kernel, const FlowGraph& graph, std::size_t id, const LatencyTable& latencies) {
  const Loop& loop = graph.loops[id];
  LoopFacts facts{.id = static_cast<int>(id)};
  if (loop.parent != no_index) facts.parent = static_cast<int>(loop.parent);
  facts.depth = loop.depth;
  constexpr std::size_t bytes = word_bytes;
  facts.begin = static_cast<std::int64_t>(graph.blocks[loop.header].first * bytes);
  for (const std::size_t block : loop.blocks) {
    facts.end = std::max(facts.end, static_cast<std::int64_t>(graph.blocks[block].end * bytes));
    facts.code_bytes += static_cast<int>((graph.blocks[block].end - graph.blocks[block].first) * bytes);
    facts.innermost = facts.innermost && graph.blocks[block].loop == id;
  }
  const auto own = own_instructions(graph, id);
  std::vector<std::size_t> indices;
  for (const auto& [index, always] : own) {
    indices.push_back(index);
    const int stall = kernel.listing.instructions[index].control.stall;
    facts.issue_cycles += stall;
    facts.least_issue_cycles += always ? stall : 0;
  }
  facts.mix = mix_of(kernel.listing, indices);
  facts.mix.branched = static_cast<int>(std::ranges::count(own, false, &OwnInstruction::always));
  facts.lines = line_ranges(kernel, indices);
  if (!facts.innermost) return facts;
  TripPaths paths = trip_paths(kernel.listing, trip_of(graph, id), latencies);
  facts.carried = std::move(paths.carried);
  facts.trip = std::move(paths.trip);
  return facts;
}

}  // namespace

std::vector<LoopFacts> loop_facts(const LoadedKernel& kernel, const FlowGraph& graph, const LatencyTable& latencies) {
  std::vector<LoopFacts> all;
  for (std::size_t id = 0; id < graph.loops.size(); ++id) all.push_back(facts_of(kernel, graph, id, latencies));
  return all;
}

std::vector<LineRange> line_ranges(const LoadedKernel& kernel, const std::vector<std::size_t>& indices) {
  std::vector<LineRange> ranges;
  for (const std::size_t index : indices) {
    if (index >= kernel.lines.size() || kernel.lines[index].file.empty()) continue;
    const auto& [file, line] = kernel.lines[index];
    const auto known = std::ranges::find(ranges, file, &LineRange::file);
    if (known == ranges.end()) {
      ranges.push_back({file, line, line});
      continue;
    }
    known->first = std::min(known->first, line);
    known->last = std::max(known->last, line);
  }
  return ranges;
}

}  // namespace warpclock
