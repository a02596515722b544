#include "predict/block_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "execute/execute.hpp"
#include "predict/memory/access_pattern.hpp"

namespace warpclock {
namespace {

/// Bits that depend on all bits (the finalizer of MurmurHash3).
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 33U) * 0xff51afd7ed558ccdU;
  value = (value ^ value >> 33U) * 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 33U;
}

}  // namespace

std::vector<std::uint64_t> probed_blocks(const ExecutedLaunch& launch) {
  constexpr double golden = 0.6180339887498949;
  std::array<std::uint32_t, 3> middle{};
  for (std::size_t axis = 0; axis < middle.size(); ++axis) middle[axis] = launch.grid[axis] / 2;
  std::vector<std::uint64_t> blocks = {block_number(launch, middle)};
  for (std::size_t axis = 0; axis < middle.size(); ++axis) {
    const std::uint32_t count = launch.grid[axis];
    if (count < 2) continue;
    for (const std::uint32_t step : {1U, static_cast<std::uint32_t>(golden * count)}) {
      auto other = middle;
      other[axis] = (middle[axis] + step) % count;
      if (other != middle) blocks.push_back(block_number(launch, other));
    }
  }
  return blocks;
}

std::vector<std::uint64_t> neighbors(const ExecutedLaunch& launch, std::uint64_t count) {
  const std::uint64_t all = launch.blocks();
  count = std::min(all, count);
  std::vector<std::uint64_t> blocks(count);
  for (std::uint64_t i = 0; i < count; ++i) blocks[i] = (all - count) / 2 + i;
  return blocks;
}

void FirstAddresses::note(const WarpPlace& warp, const CodeStep& step, std::uint64_t address) {
  if (blocks_.empty() || warp.block != block_) block_ = warp.block, noted_.clear(), blocks_.emplace_back();
  const std::uint64_t what = std::uint64_t{warp.warp} << 32U | step.index;
  if (noted_.insert(what).second) blocks_.back()[step.index] += mixed(address + mixed(what));
  largest_ = std::max(largest_, noted_.size());
}

void FirstAddresses::note_page(const WarpPlace& warp, const CodeStep& step, std::uint64_t address) {
  if (blocks_.size() > 1) return;
  auto& pages = pages_[step.index];
  if (pages.size() <= warp.warp) pages.resize(warp.warp + 1);
  if (pages[warp.warp] == 0) pages[warp.warp] = address / page_bytes;
}

std::map<std::size_t, BlockSharing> FirstAddresses::sharing(std::uint64_t at_once) const {
  struct Seen {
    std::set<std::uint64_t> different;
    std::size_t blocks = 0, in_half = 0;  // in_half: different ones of the first half
  };
  std::map<std::size_t, Seen> seen;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    for (const auto& [index, hash] : blocks_[i]) {
      Seen& one = seen[index];
      ++one.blocks;
      one.different.insert(hash);
      if (i < (blocks_.size() + 1) / 2) one.in_half = one.different.size();
    }
  }
  std::map<std::size_t, BlockSharing> all;
  const double executed = static_cast<double>(blocks_.size());
  const double more = std::max(1.0, static_cast<double>(at_once) / executed);
  for (const auto& [index, one] : seen) {
    const auto different = static_cast<double>(one.different.size());
    const double growth = one.in_half > 0 ? std::log2(different / static_cast<double>(one.in_half)) : 1;
    const double sharers = static_cast<double>(one.blocks) * more / (different * std::pow(more, std::min(1.0, growth)));
    all[index] = {one.different.size() > 1, std::max(1.0, sharers)};
  }
  return all;
}

double FirstAddresses::beside(std::size_t index, std::uint64_t bytes) const {
  const auto found = addresses_.find(index);
  if (found == addresses_.end() || found->second.empty()) return 1;
  const auto& all = found->second;
  const auto near = std::ranges::count_if(
      all, [&](std::uint64_t address) { return all.contains(address - bytes) || all.contains(address + bytes); });
  return static_cast<double>(near) / static_cast<double>(all.size());
}

}  // namespace warpclock
