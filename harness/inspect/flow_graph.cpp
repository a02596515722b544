#include "inspect/flow_graph.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace warpclock {
namespace {

/// The instructions to which a jump through a register may lead.
std::vector<std::size_t> indirect_targets(const Listing& listing, std::size_t index, const IndirectTargets& indirect) {
  std::vector<std::size_t> targets;
  const auto known = indirect.find(listing.instructions[index].address);
  if (known == indirect.end()) return targets;
  for (const std::uint64_t address : known->second) {
    const std::uint64_t target = address / word_bytes;
    if (address % word_bytes == 0 && target < listing.instructions.size()) targets.push_back(target);
  }
  return targets;
}

std::vector<BasicBlock> blocks_of(const Listing& listing, const IndirectTargets& indirect) {
  const std::size_t size = listing.instructions.size();
  std::vector<bool> begins(size + 1, false);
  if (size > 0) begins[0] = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    begins[i + 1] = true;
    begins[target_index(listing, listing.instructions[i])] = true;
    for (const std::size_t target : indirect_targets(listing, i, indirect)) begins[target] = true;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::size_t> block_at(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (begins[i]) blocks.push_back({.first = i});
    block_at[i] = blocks.size() - 1;
    blocks.back().end = i + 1;
  }
  std::vector<std::size_t> follows(blocks.size(), no_index);  // the last block that each was found to follow
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::vector<std::size_t> all = successors(listing, blocks[b].end - 1);
    const std::vector<std::size_t> more = indirect_targets(listing, blocks[b].end - 1, indirect);
    all.insert(all.end(), more.begin(), more.end());
    for (const std::size_t next : all) {
      if (std::exchange(follows[block_at[next]], b) == b) continue;
      blocks[b].next.push_back(block_at[next]);
      blocks[block_at[next]].before.push_back(b);
    }
  }
  return blocks;
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

/// Numbers the blocks so that those that a block dominates follow on it.
void number_dominated(std::vector<BasicBlock>& blocks, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> sizes(blocks.size(), 1), next(blocks.size(), 0);
  for (const std::size_t block : order | std::views::reverse) {
    if (blocks[block].dominator != block) sizes[blocks[block].dominator] += sizes[block];
  }
  for (const std::size_t block : order) {
    const std::size_t above = blocks[block].dominator;
    const std::size_t first = above == block ? 0 : std::exchange(next[above], next[above] + sizes[block]);
    blocks[block].dominated_first = first;
    blocks[block].dominated_last = first + sizes[block] - 1;
    next[block] = first + 1;
  }
}

/// Adds the blocks that reach a latch without passing the header. `inside` has none before and after it.
void fill(Loop& loop, const std::vector<BasicBlock>& blocks, std::vector<bool>& inside) {
  inside[loop.header] = true;
  loop.blocks = {loop.header};
  std::vector<std::size_t> open = loop.latches;
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (inside[block]) continue;
    inside[block] = true;
    loop.blocks.push_back(block);
    for (const std::size_t before : blocks[block].before) {
      if (blocks[before].reached) open.push_back(before);
    }
  }
  for (const std::size_t block : loop.blocks) inside[block] = false;
  std::ranges::sort(loop.blocks);
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
  constexpr std::size_t most_held = 10'000'000;
  std::size_t held = 0;
  std::vector<bool> inside(graph.blocks.size(), false);
  for (auto& [header, loop] : by_header) {
    fill(loop, graph.blocks, inside);
    held += loop.blocks.size();
    graph.too_nested = held > most_held;
    if (graph.too_nested) return graph.loops.clear();
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

FlowGraph flow_graph(const Listing& listing, const IndirectTargets& indirect) {
  FlowGraph graph;
  graph.blocks = blocks_of(listing, indirect);
  const std::vector<std::size_t> order = in_order_of_flow(graph, 0, [](std::size_t) { return true; });
  find_dominators(graph.blocks, order);
  number_dominated(graph.blocks, order);
  find_loops(graph, order);
  nest(graph);
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& instruction = listing.instructions[i];
    const bool leaves = instruction.opcode == "EXIT" || instruction.opcode == "RET" || instruction.opcode == "KILL";
    const bool follows = target_index(listing, instruction) < listing.instructions.size() ||
                         !indirect_targets(listing, i, indirect).empty();
    if (is_jump(instruction) && !leaves && !follows) graph.unresolved.push_back(i);
  }
  return graph;
}

std::vector<std::size_t> in_order_of_flow(const FlowGraph& graph, std::size_t first,
                                          const std::function<bool(std::size_t)>& inside) {
  std::vector<std::size_t> order;
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // a block and how many of its edges were followed
  const auto enter = [&](std::size_t block) {
    if (block >= seen.size() || seen[block] || !inside(block)) return;
    seen[block] = true;
    path.emplace_back(block, 0);
  };
  enter(first);
  while (!path.empty()) {
    const std::size_t block = path.back().first, followed = path.back().second++;
    if (followed < graph.blocks[block].next.size()) {
      enter(graph.blocks[block].next[followed]);
      continue;
    }
    order.push_back(block);
    path.pop_back();
  }
  std::ranges::reverse(order);
  return order;
}

bool dominates(const FlowGraph& graph, std::size_t by, std::size_t block) {
  const BasicBlock &above = graph.blocks[by], &below = graph.blocks[block];
  return above.dominated_first <= below.dominated_first && below.dominated_first <= above.dominated_last;
}

bool on_each_trip(const FlowGraph& graph, const Loop& loop, std::size_t block) {
  return std::ranges::all_of(loop.latches, [&](std::size_t latch) { return dominates(graph, block, latch); });
}

}  // namespace warpclock
