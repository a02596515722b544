#include "predict/last_block.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "execute/execute.hpp"
#include "predict/block_sharing.hpp"
#include "predict/chosen_ways.hpp"
#include "predict/meeting/block_streams.hpp"

namespace warpclock {
namespace {

using BlockIndex = std::array<std::uint32_t, 3>;

/// Where each block counts itself.
class Counters final : public StreamReader {
 public:
  Counters(ChosenWays& ways, const std::set<std::size_t>& steps) : ways_(ways), steps_(steps) {}

  void ran(const WarpPlace&, std::uint32_t, std::uint32_t, std::uint32_t, LaneMask) override {}
  void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t, LaneMask lanes,
                const LaneAddresses& addresses) override {
    if (!steps_.contains(step.index)) return;
    const bool first = places_[step.index].emplace(warp.block, addresses[first_lane(lanes)]).second;
    once_ &= first && std::popcount(lanes) == 1;
  }
  void copied(const WarpPlace&, const CodeStep&, const BulkCopy&) override {}
  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return ways_.way(warp, step); }
  bool lost(const WarpPlace&, const CodeStep& step, const Error& why) override { return ways_.lose(step, why); }
  [[nodiscard]] bool was_lost(const CodeStep& step) const override { return ways_.was_lost(step); }

  /// Whether each block counts once at most, by one lane.
  [[nodiscard]] bool once() const { return once_; }
  /// How many blocks count at one place, by instruction: those along an axis along which the place stays the same.
  [[nodiscard]] std::map<std::size_t, std::uint64_t> sharers(const ExecutedLaunch& launch) const {
    std::map<std::size_t, std::uint64_t> all;
    for (const auto& [step, places] : places_) {
      std::uint64_t& blocks = all.emplace(step, 1).first->second;
      for (std::size_t axis = 0; axis < launch.grid.size(); ++axis)
        if (!differs_along(axis, places)) blocks *= launch.grid[axis];
    }
    return all;
  }

 private:
  static bool differs_along(std::size_t axis, const std::map<BlockIndex, std::uint64_t>& places) {
    for (const auto& [one, place] : places) {
      for (const auto& [other, there] : places) {
        BlockIndex moved = other;
        moved[axis] = one[axis];
        if (moved == one && place != there) return true;
      }
    }
    return false;
  }

  ChosenWays& ways_;
  const std::set<std::size_t>& steps_;
  std::map<std::size_t, std::map<BlockIndex, std::uint64_t>> places_;
  bool once_ = true;
};

}  // namespace

std::optional<ExecutedLaunch> launch_of_last(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                             const KernelPath& path) {
  const ExecutedKernel& executed = path.executed;
  if (executed.counters.empty() || !executed.missing.empty() || executed.waits) return std::nullopt;
  ChosenWays ways(kernel, path.loops, path.by_loops);
  Counters counters(ways, executed.counters);
  const CodeProgram program = code_program(kernel, launch, Follow::Addresses);
  if (!execute(kernel, launch, program, probed_blocks(launch), counters,
               {.warp_instructions = most_executed, .at_once = true}) ||
      !counters.once())
    return std::nullopt;
  ExecutedLaunch made = launch;
  for (const auto& [step, blocks] : counters.sharers(launch))
    if (blocks > 1) made.counted[step] = blocks - 1;
  return made.counted.empty() ? std::nullopt : std::optional(std::move(made));
}

}  // namespace warpclock
