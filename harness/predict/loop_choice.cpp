#include "predict/loop_choice.hpp"

#include <algorithm>

#include "code/listing.hpp"

namespace warpclock {
namespace {

class LoopChoice {
 public:
  LoopChoice(const Listing& listing, const FlowGraph& graph)
      : listing_(listing), graph_(graph), rank_(graph.blocks.size(), graph.blocks.size()) {
    const auto order = in_order_of_flow(graph, 0, [](std::size_t) { return true; });
    for (std::size_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
  }

  /// Notes the ways to a loop, or past it.
  void add(std::size_t header, bool has_trips) {
    const std::vector<bool> leads = leading_to(header);
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
      const std::size_t jump = graph_.blocks[block].end - 1;
      const std::size_t target = target_index(listing_, listing_.instructions[jump]);
      const auto& next = graph_.blocks[block].next;
      if (next.size() != 2 || target <= jump || target >= listing_.instructions.size()) continue;
      const bool first = graph_.blocks[next[0]].first == target;
      if (!first && graph_.blocks[next[1]].first != target) continue;
      const bool by_jump = leads[next[first ? 0 : 1]], by_fall = leads[next[first ? 1 : 0]];
      if (by_jump != by_fall) ways_.emplace(jump, by_jump == has_trips);
    }
  }

  [[nodiscard]] std::map<std::size_t, bool> ways() { return std::move(ways_); }

 private:
  /// The blocks from which a block is reached without going back.
  [[nodiscard]] std::vector<bool> leading_to(std::size_t block) const {
    std::vector<bool> leads(graph_.blocks.size(), false);
    std::vector<std::size_t> open = {block};
    leads[block] = true;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t before : graph_.blocks[at].before) {
        if (rank_[before] >= rank_[at] || leads[before]) continue;
        leads[before] = true;
        open.push_back(before);
      }
    }
    return leads;
  }

  const Listing& listing_;
  const FlowGraph& graph_;
  std::vector<std::size_t> rank_;
  std::map<std::size_t, bool> ways_;
};

}  // namespace

std::map<std::size_t, bool> jumps_by_loops(const Listing& listing, const FlowGraph& graph,
                                           const std::vector<KernelLoop>& loops) {
  LoopChoice choice(listing, graph);
  // What has to be reached comes first: a way past one loop may be the way to another.
  for (const bool has_trips : {true, false}) {
    for (const KernelLoop& loop : loops) {
      if (loop.said && (*loop.trips > 0) == has_trips)
        choice.add(graph.loops[static_cast<std::size_t>(loop.id)].header, has_trips);
    }
  }
  return choice.ways();
}

std::set<std::size_t> jumps_aside(const Listing& listing, const FlowGraph& graph) {
  std::set<std::size_t> aside;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    if (is_jump(listing.instructions[i]) && target_index(listing, listing.instructions[i]) <= i) aside.insert(i);
  }
  for (const Loop& loop : graph.loops) {
    for (const std::size_t latch : loop.latches) aside.erase(graph.blocks[latch].end - 1);
  }
  return aside;
}

}  // namespace warpclock
