#include "capture/injection/graphs.hpp"

#include <algorithm>

namespace warpclock::injected {

void GraphNodes::made(std::uint64_t node, std::optional<Planned> launch) {
  const std::lock_guard guard(lock_);
  // Nodes that the driver adds to a clone do nothing.
  Graph& graph = graphs_[graph_of(node)];
  if (!graph.is_clone) graph.nodes = std::max(graph.nodes, number_of(node) + 1);
  if (launch) launches_[node] = *std::move(launch);
}

void GraphNodes::cloned(std::uint64_t from, std::uint64_t to, std::optional<std::uint32_t> child) {
  const std::lock_guard guard(lock_);
  Graph& graph = graphs_[graph_of(to)];
  if (!graph.is_clone) graph = {.nodes = 0, .is_clone = true, .children = {}};
  graph.nodes = std::max(graph.nodes, number_of(to) + 1);
  last_clone_[graph_of(from)] = graph_of(to);
  const auto clone = child ? last_clone_.find(*child) : last_clone_.end();
  if (clone != last_clone_.end()) graph.children[number_of(to)] = clone->second;
  copy_launch(from, to);
}

void GraphNodes::copy_launch(std::uint64_t from, std::uint64_t to) {
  const auto found = launches_.find(from);
  if (found == launches_.end()) return;
  Planned same = found->second;
  launches_[to] = std::move(same);
}

void GraphNodes::launches(std::uint64_t node, Planned launch) {
  const std::lock_guard guard(lock_);
  launches_[node] = std::move(launch);
}

bool GraphNodes::knows(std::uint64_t node) const {
  const std::lock_guard guard(lock_);
  return launches_.contains(node);
}

void GraphNodes::updated(std::uint32_t executable, std::uint32_t graph) {
  const std::lock_guard guard(lock_);
  Graph& own = graphs_[executable];
  const Graph other = graphs_[graph];
  for (std::uint32_t node = 0; node < std::min(own.nodes, other.nodes); ++node)
    copy_launch(id(graph, node), id(executable, node));
  for (const auto& [node, child] : other.children) own.children[node] = child;
}

void GraphNodes::child_updated(std::uint64_t node, std::uint32_t child) {
  const std::lock_guard guard(lock_);
  graphs_[graph_of(node)].children[number_of(node)] = child;
}

void GraphNodes::add_inlined(std::uint32_t graph, std::vector<std::uint64_t>& nodes) const {
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return;
  for (const auto& [node, child] : found->second.children) {
    const auto inner = graphs_.find(child);
    if (inner == graphs_.end()) continue;
    for (std::uint32_t i = 0; i < inner->second.nodes; ++i) nodes.push_back(id(child, i));
    add_inlined(child, nodes);
  }
}

std::optional<Planned> GraphNodes::find(std::uint64_t node, const std::array<unsigned, 3>& grid,
                                        const std::array<unsigned, 3>& block) const {
  const std::lock_guard guard(lock_);
  auto found = launches_.find(node);
  const auto graph = graphs_.find(graph_of(node));
  if (found == launches_.end() && graph != graphs_.end() && number_of(node) >= graph->second.nodes) {
    std::vector<std::uint64_t> inlined;
    add_inlined(graph_of(node), inlined);
    const std::size_t which = number_of(node) - graph->second.nodes;
    if (which < inlined.size()) found = launches_.find(inlined[which]);
  }
  if (found == launches_.end() || found->second.grid != grid || found->second.block != block) return std::nullopt;
  return found->second;
}

}  // namespace warpclock::injected
