#include <algorithm>
#include <string>

#include "code/listing.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

std::string kind_of(const Listing& listing, std::size_t last, std::size_t to) {
  const Instruction& jump = listing.instructions[last];
  const bool named = is_jump(jump) && target_index(listing, jump) == to;
  if (jump.opcode == "CALL") return to == last + 1 && !named ? "returns" : "call";
  if (named) return "taken";
  const auto next = successors(listing, last);
  return std::ranges::find(next, to) != next.end() ? "falls through" : "indirect";
}

}  // namespace

std::vector<BlockFacts> block_facts(const LoadedKernel& kernel, const FlowGraph& graph) {
  const auto order = in_order_of_flow(graph, 0, [](std::size_t) { return true; });
  std::vector<std::size_t> rank(graph.blocks.size(), no_index);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  const auto address = [&](std::size_t index) { return static_cast<std::int64_t>(index * word_bytes); };
  std::vector<BlockFacts> all;
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    const BasicBlock& block = graph.blocks[b];
    if (!block.reached) continue;
    BlockFacts& facts = all.emplace_back();
    facts.begin = address(block.first);
    facts.end = address(block.end);
    if (block.loop != no_index) facts.loop = static_cast<int>(block.loop);
    std::vector<std::size_t> indices;
    for (std::size_t i = block.first; i < block.end; ++i) {
      indices.push_back(i);
      facts.issue_cycles += kernel.listing.instructions[i].control.stall;
    }
    facts.lines = line_ranges(kernel, indices);
    for (const std::size_t to : block.next) {
      const std::size_t first = graph.blocks[to].first;
      facts.next.push_back({address(first), kind_of(kernel.listing, block.end - 1, first), rank[to] <= rank[b]});
    }
  }
  return all;
}

}  // namespace warpclock
