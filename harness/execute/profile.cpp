#include "execute/profile.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "execute/bank_turns.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

/// The sectors that the lanes touch.
std::uint64_t sectors_of(LaneMask lanes, const LaneAddresses& addresses, std::uint64_t bytes) {
  std::vector<std::uint64_t> sectors;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    for (std::uint64_t at = addresses[i] / sector_bytes; at <= (addresses[i] + bytes - 1) / sector_bytes; ++at)
      sectors.push_back(at);
  }
  std::ranges::sort(sectors);
  const auto rest = std::ranges::unique(sectors);
  return sectors.size() - rest.size();
}

}  // namespace

Profile::Profile(const LoadedKernel& kernel, const FlowGraph& graph)
    : kernel_(kernel),
      graph_(graph),
      loop_at_(kernel.listing.instructions.size(), no_index),
      repeats_(graph.loops.size()),
      executed_(kernel.listing.instructions.size() + 1),
      lanes_(kernel.listing.instructions.size() + 1),
      accesses_(kernel.listing.instructions.size()),
      seen_(kernel.listing.instructions.size()) {
  for (std::size_t i = 0; i < graph.loops.size(); ++i) loop_at_[graph.blocks[graph.loops[i].header].first] = i;
}

void Profile::ran(const WarpPlace&, std::uint32_t from, std::uint32_t first, std::uint32_t last, LaneMask lanes) {
  const auto count = static_cast<std::int64_t>(std::popcount(lanes));
  ++executed_[first], --executed_[last + 1];
  lanes_[first] += count, lanes_[last + 1] -= count;
  const std::size_t loop = loop_at_[first];
  if (loop == no_index || from == first) return;
  const bool within = std::ranges::any_of(graph_.loops[loop].latches, [&](std::size_t latch) {
    return from >= graph_.blocks[latch].first && from < graph_.blocks[latch].end;
  });
  repeats_[loop] += within ? 1 : 0;
}

std::uint64_t Profile::needed(std::size_t index, std::size_t site, LaneMask lanes,
                              const LaneAddresses& distances) const {
  const Instruction& instruction = kernel_.listing.instructions[index];
  const auto access = access_of(instruction).value_or(Access{});
  const bool copy = access.kind == "copy";
  if (copy ? site == 1 : access.memory != "shared")
    return sectors_of(lanes, distances, static_cast<std::uint64_t>(std::max(1, access.bytes)));
  std::vector<std::uint32_t> held;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (has_lane(lanes, i)) held.push_back(static_cast<std::uint32_t>(distances[i]));
  }
  return static_cast<std::uint64_t>(is_matrix(instruction)
                                        ? matrix_wavefronts(held, access.bytes)
                                        : wavefronts_of(held, access.bytes, bank_use_of(instruction, access)));
}

void Profile::accessed(const WarpPlace&, const CodeStep& step, std::size_t site, LaneMask lanes,
                       const LaneAddresses& addresses) {
  Seen& seen = seen_[step.index][site];
  const std::uint64_t base = addresses[first_lane(lanes)] / line_bytes * line_bytes;
  LaneAddresses distances;
  for (std::size_t i = 0; i < warp_lanes; ++i) distances[i] = has_lane(lanes, i) ? addresses[i] - base : 0;
  if (seen.lanes != lanes || seen.distances != distances)
    seen = {lanes, distances, needed(step.index, site, lanes, distances)};
  InstructionProfile& to = accesses_[step.index];
  const bool copy = step.kind == StepKind::Copy;
  if (!copy || site == 0) ++to.accesses, to.access_lanes += static_cast<std::uint64_t>(std::popcount(lanes));
  const bool global = copy ? site == 1 : step.space != StepSpace::Shared;
  (global ? to.sectors : to.wavefronts) += seen.needed;
}

std::vector<InstructionProfile> Profile::instructions() const {
  std::vector<InstructionProfile> all = accesses_;
  std::int64_t executed = 0, lanes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    executed += executed_[i], lanes += lanes_[i];
    all[i].executed = static_cast<std::uint64_t>(executed), all[i].lanes = static_cast<std::uint64_t>(lanes);
  }
  return all;
}

std::vector<LoopProfile> Profile::loops() const {
  const auto counts = instructions();
  std::vector<LoopProfile> all;
  for (std::size_t i = 0; i < graph_.loops.size(); ++i) {
    const std::uint64_t trips = counts[graph_.blocks[graph_.loops[i].header].first].executed;
    all.push_back({trips - std::min(trips, repeats_[i]), trips});
  }
  return all;
}

}  // namespace warpclock
