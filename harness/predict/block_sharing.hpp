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
#include "predict/memory/atomic_places.hpp"

namespace warpclock {

/// Which blocks that run at once load from the same addresses by an instruction.
struct BlockSharing {
  bool by_block = true;  ///< whether blocks have different ones
  double sharers = 1;    ///< blocks that have the same ones, on the average
};

/// A block in the middle of the grid, and along each axis the next one and one far away.
[[nodiscard]] std::vector<std::uint64_t> probed_blocks(const ExecutedLaunch& launch);

/// So many blocks, one after the other, in the middle of the grid: they run at once.
[[nodiscard]] std::vector<std::uint64_t> neighbors(const ExecutedLaunch& launch, std::uint64_t count);

/// The first addresses of global memory from which each warp of a block loads or copies by each instruction.
class FirstAddresses final : public StreamReader {
 public:
  /// A block has been executed far enough when it has `most` of them; 0: at its end.
  /// `meetings`: whether to note where atomic operations go.
  explicit FirstAddresses(ChosenWays& ways, std::size_t most = 0, bool meetings = false)
      : ways_(ways), most_(most), meetings_(meetings) {}

  void ran(const WarpPlace&, std::uint32_t, std::uint32_t, std::uint32_t, LaneMask) override {}
  void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t site, LaneMask lanes,
                const LaneAddresses& addresses) override {
    const bool copy = step.kind == StepKind::Copy;
    const std::uint64_t address = addresses[first_lane(lanes)];
    const bool loads = copy ? site == 1 : step.access == StepAccess::Load;
    const bool global = copy || space_at(step, address) == StepSpace::Global;
    if (loads && global) note(warp, step, address);
    if (loads && global && !copy) note_page(warp, step, address);
    if (meetings_ && !copy && global && step.access == StepAccess::Atomic) atomics_.touch(warp, lanes, addresses);
    if (!copy && global) addresses_[step.index].insert(address);
  }
  void copied(const WarpPlace& warp, const CodeStep& step, const BulkCopy& copy) override {
    if (step.kind == StepKind::Copy && !copy.rows.empty()) note(warp, step, copy.rows.front().address);
  }
  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return ways_.way(warp, step); }
  bool lost(const WarpPlace&, const CodeStep& step, const Error& why) override { return ways_.lose(step, why); }
  bool presumes(const CodeStep& step) override { return ways_.presume(step); }
  [[nodiscard]] bool was_lost(const CodeStep& step) const override { return ways_.was_lost(step); }
  [[nodiscard]] bool enough(const WarpPlace& warp) const override {
    return most_ > 0 && warp.block == block_ && noted_.size() >= most_;
  }

  /// The most that a block has.
  [[nodiscard]] std::size_t most() const { return largest_; }
  /// By instruction, of so many blocks that run at once. If fewer of them were executed, the others are taken to bring
  /// as many new addresses as the second half of those did.
  [[nodiscard]] std::map<std::size_t, BlockSharing> sharing(std::uint64_t at_once) const;
  /// The part of an instruction's addresses so many bytes before or behind which it accesses something too.
  [[nodiscard]] double beside(std::size_t index, std::uint64_t bytes) const;

  /// Of all atomic operations, if they were to be noted.
  [[nodiscard]] const AtomicPlaces& atomics() const { return atomics_; }
  /// By instruction: the first page that each warp of the first block has loaded from.
  [[nodiscard]] const std::map<std::size_t, std::vector<std::uint64_t>>& pages() const { return pages_; }

 private:
  void note_page(const WarpPlace& warp, const CodeStep& step, std::uint64_t address);
  void note(const WarpPlace& warp, const CodeStep& step, std::uint64_t address);

  ChosenWays& ways_;
  std::size_t most_, largest_ = 0;
  bool meetings_;
  AtomicPlaces atomics_;
  std::array<std::uint32_t, 3> block_{};
  std::unordered_set<std::uint64_t> noted_;                             ///< warps and instructions of the block
  std::map<std::size_t, std::unordered_set<std::uint64_t>> addresses_;  ///< of first lanes, by instruction
  std::map<std::size_t, std::vector<std::uint64_t>> pages_;
  std::vector<std::map<std::uint32_t, std::uint64_t>> blocks_;  ///< hashes of all addresses, by instruction
};

}  // namespace warpclock
