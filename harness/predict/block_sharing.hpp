#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "execute/launch.hpp"
#include "execute/stream.hpp"
#include "predict/chosen_ways.hpp"

namespace warpclock {

/// Which blocks have the same addresses of an access to global memory.
struct BlockSharing {
  bool by_block = true;  ///< whether blocks have different ones
  double sharers = 1;    ///< blocks of the grid that have the same ones
};

/// A block in the middle of the grid, and along each axis the next one and one far away.
[[nodiscard]] std::vector<std::uint64_t> probed_blocks(const ExecutedLaunch& launch);

/// The first address that each warp of a block accesses by each instruction.
class FirstAddresses final : public StreamReader {
 public:
  explicit FirstAddresses(ChosenWays& ways) : ways_(ways) {}

  void ran(const WarpPlace&, std::uint32_t, std::uint32_t, std::uint32_t, LaneMask) override {}
  void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t site, LaneMask lanes,
                const LaneAddresses& addresses) override {
    const bool copy = step.kind == StepKind::Copy;
    const std::uint64_t address = addresses[first_lane(lanes)];
    if (copy ? site == 1 : space_at(step, address) == StepSpace::Global) note(warp, step, address);
  }
  void copied(const WarpPlace& warp, const CodeStep& step, std::uint64_t from, std::uint64_t) override {
    note(warp, step, from);
  }
  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return ways_.way(warp, step); }
  bool lost(const WarpPlace&, const CodeStep& step, const Error& why) override { return ways_.lose(step, why); }
  [[nodiscard]] bool was_lost(const CodeStep& step) const override { return ways_.was_lost(step); }

  /// By instruction, after probed_blocks(): blocks along whose axis nothing differs have the same addresses.
  [[nodiscard]] std::map<std::size_t, BlockSharing> sharing(const ExecutedLaunch& launch) const;

 private:
  using Block = std::array<std::uint32_t, 3>;
  using Addresses = std::map<std::uint32_t, std::uint64_t>;  // by warp
  using Instructions = std::map<std::uint32_t, Addresses>;   // by index
  void note(const WarpPlace& warp, const CodeStep& step, std::uint64_t address) {
    if (warp.block != block_) block_ = warp.block, noted_.clear();
    if (noted_.insert(std::uint64_t{warp.warp} << 32 | step.index).second)
      by_block_[warp.block][step.index].emplace(warp.warp, address);
  }
  [[nodiscard]] std::vector<std::uint32_t> indices(const Block& block) const;
  [[nodiscard]] bool same(std::uint32_t index, const Block& a, const Block& b) const;

  ChosenWays& ways_;
  Block block_{};
  std::unordered_set<std::uint64_t> noted_;  ///< warps and instructions of the block
  std::map<Block, Instructions> by_block_;
};

}  // namespace warpclock
