#include "inspect/hazards/slack.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace warpclock {
namespace {

constexpr std::size_t most_places = 3;

class SlackFinder {
 public:
  SlackFinder(const Listing& listing, const FlowGraph& graph, std::span<const int> distances,
              std::vector<IssueNeed> needs, std::span<const PassedBlock> passed)
      : listing_(listing),
        graph_(graph),
        distances_(distances),
        needs_(std::move(needs)),
        across_(listing.instructions.size()),
        block_of_(listing.instructions.size(), no_index) {
    for (std::size_t b = 0; b < graph_.blocks.size(); ++b)
      for (std::size_t i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) block_of_[i] = b;
    std::map<std::size_t, std::vector<std::size_t>> passes;
    for (const PassedBlock& each : passed) passes[each.producer].push_back(each.block);
    for (std::size_t n = 0; n < needs_.size(); ++n) {
      const IssueNeed& need = needs_[n];
      const std::size_t from = block_of_[need.producer], to = block_of_[need.reader];
      if (from == to && need.producer < need.reader) {
        cross(n, need.producer, need.reader);
        continue;
      }
      cross(n, need.producer, graph_.blocks[from].end);
      cross(n, graph_.blocks[to].first, need.reader);
      for (const std::size_t block : passes[need.producer]) {
        if (block != from && block != to) cross(n, graph_.blocks[block].first, graph_.blocks[block].end);
      }
    }
  }

  std::vector<LoopSlack> find() {
    std::vector<LoopSlack> all(graph_.loops.size() + 1);
    for (std::size_t l = 0; l < graph_.loops.size(); ++l) {
      const Loop& loop = graph_.loops[l];
      all[l].loop = static_cast<int>(l);
      all[l].begin = address(graph_.blocks[loop.header].first);
      for (const std::size_t block : loop.blocks) all[l].end = std::max(all[l].end, address(graph_.blocks[block].end));
    }
    for (const BasicBlock& block : graph_.blocks) {
      if (!block.reached) continue;
      LoopSlack& out = all[block.loop == no_index ? graph_.loops.size() : block.loop];
      for (std::size_t i = block.first; i < block.end; ++i) {
        ++out.instructions;
        out.issue_cycles += listing_.instructions[i].control.stall;
        lower(i, out);
      }
    }
    for (LoopSlack& each : all) {
      std::ranges::stable_sort(each.worst, std::ranges::greater{}, &SlackPlace::slack);
      if (each.worst.size() > most_places) each.worst.resize(most_places);
    }
    std::erase_if(all, [](const LoopSlack& one) { return one.instructions == 0; });
    return all;
  }

 private:
  [[nodiscard]] std::int64_t address(std::size_t i) const { return static_cast<std::int64_t>(i * word_bytes); }
  [[nodiscard]] HazardPlace place(std::size_t i) const { return hazard_place(listing_.instructions[i]); }

  void cross(std::size_t need, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) across_[i].push_back(need);
  }

  /// The instruction for which the stall count of `i` waits: no-operations only make it longer.
  [[nodiscard]] std::size_t waiting(std::size_t i) const {
    const std::size_t end = graph_.blocks[block_of_[i]].end;
    std::size_t next = i + 1;
    while (next < end && listing_.instructions[next].opcode == "NOP") ++next;
    return next < end ? next : no_index;
  }

  void lower(std::size_t i, LoopSlack& out) {
    const Control& control = listing_.instructions[i].control;
    const int least = control.yield ? 2 : 1;
    int slack = distances_[i] - least;
    if (slack <= 0) return;
    const std::size_t reader = waiting(i);
    const IssueNeed* tightest = nullptr;
    for (const std::size_t n : across_[i]) {
      const IssueNeed& need = needs_[n];
      slack = std::min(slack, need.cycles - need.needed);
      const bool awaited = need.reader == reader && !need.row.empty();
      if (awaited && (tightest == nullptr || need.cycles - need.needed < tightest->cycles - tightest->needed))
        tightest = &need;
    }
    if (slack <= 0 || tightest == nullptr) return;
    out.slack += slack;
    out.worst.push_back({.at = place(reader),
                         .producer = place(tightest->producer),
                         .cycles = tightest->cycles,
                         .needed = tightest->needed,
                         .slack = slack,
                         .row = tightest->row});
    for (const std::size_t n : across_[i]) needs_[n].cycles -= slack;
  }

  const Listing& listing_;
  const FlowGraph& graph_;
  std::span<const int> distances_;
  std::vector<IssueNeed> needs_;
  std::vector<std::vector<std::size_t>> across_;  ///< the needs between whose instructions the stall count of each is
  std::vector<std::size_t> block_of_;
};

}  // namespace

std::vector<LoopSlack> slack_of(const Listing& listing, const FlowGraph& graph, std::span<const int> distances,
                                std::vector<IssueNeed> needs, std::span<const PassedBlock> passed) {
  return SlackFinder(listing, graph, distances, std::move(needs), passed).find();
}

}  // namespace warpclock
