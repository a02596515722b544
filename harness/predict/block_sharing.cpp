#include "predict/block_sharing.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/lookup.hpp"

namespace warpclock {
namespace {

using Block = std::array<std::uint32_t, 3>;

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

std::vector<std::uint64_t> probed_blocks(const ExecutedLaunch& launch) {
  const AxisProbes probes = axis_probes(launch);
  std::vector<std::uint64_t> blocks = {number_of(launch, probes.middle)};
  for (const auto& [axis, block] : probes.others) blocks.push_back(number_of(launch, block));
  return blocks;
}

std::vector<std::uint32_t> FirstAddresses::indices(const Block& block) const {
  std::vector<std::uint32_t> all;
  const auto* const found = value_at(by_block_, block);
  for (const auto& [index, addresses] : found == nullptr ? Instructions{} : *found) all.push_back(index);
  return all;
}

bool FirstAddresses::same(std::uint32_t index, const Block& a, const Block& b) const {
  const auto at = [&](const Block& block) {
    const auto* const found = value_at(by_block_, block);
    return found == nullptr ? Addresses{} : value_or(*found, index, Addresses{});
  };
  return at(a) == at(b);
}

std::map<std::size_t, BlockSharing> FirstAddresses::sharing(const ExecutedLaunch& launch) const {
  const AxisProbes probes = axis_probes(launch);
  std::map<std::size_t, BlockSharing> all;
  for (const std::uint32_t index : indices(probes.middle)) {
    std::array<bool, 3> depends{};
    for (const auto& [axis, block] : probes.others) depends[axis] = depends[axis] || !same(index, probes.middle, block);
    BlockSharing& made = all[index];
    made.by_block = depends[0] || depends[1] || depends[2];
    for (std::size_t axis = 0; axis < depends.size(); ++axis) made.sharers *= depends[axis] ? 1 : launch.grid[axis];
  }
  return all;
}

}  // namespace warpclock
