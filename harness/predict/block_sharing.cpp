#include "predict/block_sharing.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/lookup.hpp"

namespace warpclock {
namespace {

using Block = std::array<std::uint32_t, 3>;

/// The first address that each warp of a block accesses by each instruction.
class FirstAddresses final : public StreamReader {
 public:
  explicit FirstAddresses(ChosenWays& ways) : ways_(ways) {}

  void ran(const WarpPlace&, std::uint32_t, std::uint32_t, std::uint32_t, LaneMask) override {}
  void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t site, LaneMask lanes,
                const LaneAddresses& addresses) override {
    const bool copy = step.kind == StepKind::Copy;
    if (copy ? site == 1 : step.space == StepSpace::Global || step.space == StepSpace::Generic)
      note(warp, step, addresses[first_lane(lanes)]);
  }
  void met(const WarpPlace&, const CodeStep&, std::uint32_t) override {}
  void copied(const WarpPlace& warp, const CodeStep& step, std::uint64_t from, std::uint64_t) override {
    note(warp, step, from);
  }

  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return ways_.way(warp, step); }
  bool lost(const WarpPlace&, const CodeStep& step, const Error& why) override {
    ways_.lose(step, why);
    return true;
  }

  /// Whether an instruction accesses the same in two blocks.
  [[nodiscard]] bool same(std::uint32_t index, const Block& a, const Block& b) const {
    return at(a, index) == at(b, index);
  }
  /// The instructions by which a block accesses global memory.
  [[nodiscard]] std::vector<std::uint32_t> indices(const Block& block) const {
    std::vector<std::uint32_t> all;
    const auto* const found = value_at(by_block_, block);
    for (const auto& [index, addresses] : found == nullptr ? Instructions{} : *found) all.push_back(index);
    return all;
  }

 private:
  using Addresses = std::map<std::uint32_t, std::uint64_t>;  // by warp
  using Instructions = std::map<std::uint32_t, Addresses>;   // by index
  void note(const WarpPlace& warp, const CodeStep& step, std::uint64_t address) {
    by_block_[warp.block][step.index].emplace(warp.warp, address);
  }
  [[nodiscard]] Addresses at(const Block& block, std::uint32_t index) const {
    const auto* const found = value_at(by_block_, block);
    return found == nullptr ? Addresses{} : value_or(*found, index, Addresses{});
  }
  ChosenWays& ways_;
  std::map<Block, Instructions> by_block_;
};

/// A block in the middle of the grid, and two others along each axis: the next one, and one far away.
struct AxisProbes {
  Block middle{};
  std::vector<std::pair<std::size_t, Block>> others;  ///< with the axis
};

AxisProbes axis_probes(const ExecutedLaunch& launch) {
  constexpr double golden = 0.6180339887498949;
  AxisProbes probes;
  for (std::size_t axis = 0; axis < 3; ++axis) probes.middle[axis] = launch.grid[axis] / 2;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t count = launch.grid[axis], middle = probes.middle[axis];
    if (count < 2) continue;
    for (const std::uint32_t step : {1U, static_cast<std::uint32_t>(golden * count)}) {
      auto other = probes.middle;
      other[axis] = (middle + step) % count;
      if (other != probes.middle) probes.others.emplace_back(axis, other);
    }
  }
  return probes;
}

std::uint64_t number_of(const ExecutedLaunch& launch, const Block& block) {
  return (std::uint64_t{block[2]} * launch.grid[1] + block[1]) * launch.grid[0] + block[0];
}

}  // namespace

std::map<std::size_t, BlockSharing> sharing_of(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                               const CodeProgram& program, ChosenWays& ways,
                                               const ExecuteLimits& limits) {
  const AxisProbes probes = axis_probes(launch);
  FirstAddresses reader(ways);
  std::vector<std::uint64_t> blocks = {number_of(launch, probes.middle)};
  for (const auto& [axis, block] : probes.others) blocks.push_back(number_of(launch, block));
  std::map<std::size_t, BlockSharing> all;
  if (!execute(kernel, launch, program, blocks, reader, limits)) return all;
  for (const std::uint32_t index : reader.indices(probes.middle)) {
    std::array<bool, 3> depends{};
    for (const auto& [axis, block] : probes.others)
      depends[axis] = depends[axis] || !reader.same(index, probes.middle, block);
    BlockSharing& made = all[index];
    made.by_block = depends[0] || depends[1] || depends[2];
    for (std::size_t axis = 0; axis < depends.size(); ++axis) made.sharers *= depends[axis] ? 1 : launch.grid[axis];
  }
  return all;
}

}  // namespace warpclock
