#include "inspect/flow_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "code/flow.hpp"

namespace warpclock {
namespace {

std::vector<BasicBlock> blocks_of(const Listing& listing) {
  const std::size_t size = listing.instructions.size();
  std::vector<bool> begins(size + 1, false);
  if (size > 0) begins[0] = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    begins[i + 1] = true;
    begins[target_index(listing, listing.instructions[i])] = true;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::size_t> block_at(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (begins[i]) blocks.push_back({.first = i});
    block_at[i] = blocks.size() - 1;
    blocks.back().end = i + 1;
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (const std::size_t next : successors(listing, blocks[b].end - 1)) {
      if (std::ranges::find(blocks[b].next, block_at[next]) != blocks[b].next.end()) continue;
      blocks[b].next.push_back(block_at[next]);
      blocks[block_at[next]].before.push_back(b);
    }
  }
  return blocks;
}

/// The blocks that the first one reaches, each before those that it leads to, apart from back edges.
std::vector<std::size_t> reverse_postorder(const std::vector<BasicBlock>& blocks) {
  std::vector<std::size_t> order;
  std::vector<bool> seen(blocks.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // a block and how many of its edges were followed
  if (!blocks.empty()) path.emplace_back(0, 0);
  if (!blocks.empty()) seen[0] = true;
  while (!path.empty()) {
    auto& [block, followed] = path.back();
    if (followed == blocks[block].next.size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const std::size_t next = blocks[block].next[followed++];
    if (seen[next]) continue;
    seen[next] = true;
    path.emplace_back(next, 0);
  }
  std::ranges::reverse(order);
  return order;
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
void find_dominators(std::vector<BasicBlock>& blocks, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> rank(blocks.size(), no_index);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (const std::size_t block : order) blocks[block].reached = true;
  if (order.empty()) return;
  blocks[order[0]].dominator = order[0];
  const auto common = [&](std::size_t a, std::size_t b) {
    while (a != b) {
      while (rank[a] > rank[b]) a = blocks[a].dominator;
      while (rank[b] > rank[a]) b = blocks[b].dominator;
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t block : order) {
      if (block == order[0]) continue;
      std::size_t dominator = no_index;
      for (const std::size_t before : blocks[block].before) {
        if (blocks[before].dominator == no_index) continue;
        dominator = dominator == no_index ? before : common(before, dominator);
      }
      changed = changed || blocks[block].dominator != dominator;
      blocks[block].dominator = dominator;
    }
  }
}

/// Adds the blocks that reach a latch without passing the header.
void fill(Loop& loop, const std::vector<BasicBlock>& blocks) {
  std::vector<bool> inside(blocks.size(), false);
  inside[loop.header] = true;
  std::vector<std::size_t> open = loop.latches;
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (inside[block]) continue;
    inside[block] = true;
    for (const std::size_t before : blocks[block].before) {
      if (blocks[before].reached) open.push_back(before);
    }
  }
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (inside[block]) loop.blocks.push_back(block);
  }
}

void find_loops(FlowGraph& graph, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> rank(graph.blocks.size(), no_index);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::map<std::size_t, Loop> by_header;
  for (const std::size_t block : order) {
    for (const std::size_t next : graph.blocks[block].next) {
      if (rank[next] > rank[block]) continue;
      if (!dominates(graph, next, block)) {
        graph.irreducible = true;
        continue;
      }
      by_header[next].header = next;
      by_header[next].latches.push_back(block);
    }
  }
  for (auto& [header, loop] : by_header) {
    fill(loop, graph.blocks);
    graph.loops.push_back(std::move(loop));
  }
}

/// The innermost loop around each block and each loop. Larger loops claim their blocks first.
void nest(FlowGraph& graph) {
  std::vector<std::size_t> order(graph.loops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return graph.loops[i].blocks.size(); });
  for (const std::size_t i : order) {
    Loop& loop = graph.loops[i];
    loop.parent = graph.blocks[loop.header].loop;
    if (loop.parent != no_index) loop.depth = graph.loops[loop.parent].depth + 1;
    for (const std::size_t block : loop.blocks) graph.blocks[block].loop = i;
  }
}

}  // namespace

FlowGraph flow_graph(const Listing& listing) {
  FlowGraph graph;
  graph.blocks = blocks_of(listing);
  const std::vector<std::size_t> order = reverse_postorder(graph.blocks);
  find_dominators(graph.blocks, order);
  find_loops(graph, order);
  nest(graph);
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& instruction = listing.instructions[i];
    const bool leaves = instruction.opcode == "EXIT" || instruction.opcode == "RET" || instruction.opcode == "KILL";
    if (is_jump(instruction) && !leaves && target_index(listing, instruction) == listing.instructions.size())
      graph.unresolved.push_back(i);
  }
  return graph;
}

bool dominates(const FlowGraph& graph, std::size_t by, std::size_t block) {
  while (block != by) {
    const std::size_t above = graph.blocks[block].dominator;
    if (above == block || above == no_index) return false;
    block = above;
  }
  return true;
}

bool on_each_trip(const FlowGraph& graph, const Loop& loop, std::size_t block) {
  return std::ranges::all_of(loop.latches, [&](std::size_t latch) { return dominates(graph, block, latch); });
}

}  // namespace warpclock
