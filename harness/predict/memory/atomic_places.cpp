#include "predict/memory/atomic_places.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/random.hpp"
#include "execute/bank_turns.hpp"

namespace warpclock {
namespace {

/// Bytes that are in two slices of L2 (`atomics/reduction_lines`, H200), and their lines.
constexpr std::uint64_t of_two_slices = 1024, lines_of_two_slices = of_two_slices / line_bytes;

}  // namespace

void AtomicPlaces::touch(const WarpPlace& warp, LaneMask lanes, const LaneAddresses& addresses) {
  constexpr std::uint64_t most = std::uint64_t{1} << 22;  // say enough of the others
  if (lanes_ >= most) return;
  const auto note = [](auto& places, std::uint64_t place) {
    const auto [at, is_first] = places.try_emplace(place);
    if (!is_first) ++at->second;
  };
  const auto& [x, y, z] = warp.block;
  const std::uint64_t block = SplitMix64((std::uint64_t{z} << 32U | y) ^ SplitMix64(x).bits()).bits();
  blocks_.insert(block);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    ++lanes_;
    note(words_, addresses[i]);
    note(lines_, addresses[i] / line_bytes);
    pages_.insert(addresses[i] / of_two_slices);
    of_blocks_.insert(SplitMix64(block ^ addresses[i] / line_bytes).bits());
  }
}

double AtomicPlaces::lines(double blocks) const {
  if (lanes_ == 0) return 0;
  const auto distinct = static_cast<double>(lines_.size()), executed = static_cast<double>(blocks_.size());
  const double each = static_cast<double>(of_blocks_.size()) / executed, most = each * blocks;
  if (lines_.size() >= of_blocks_.size()) return most;
  constexpr int halvings = 60;
  double low = distinct, high = std::max(distinct, most);
  for (int i = 0; i < halvings; ++i) {
    const double all = (low + high) / 2, touched = all * (1 - std::pow(1 - each / all, executed));
    (touched < distinct ? low : high) = all;
  }
  return low * (1 - std::pow(1 - std::min(1.0, each / low), blocks));
}

AtomicMeeting AtomicPlaces::meeting(double blocks) const {
  if (lanes_ == 0) return {};
  const auto part_of_hottest = [&](const auto& places) {
    const auto hottest = std::ranges::max_element(places, {}, [](const auto& one) { return one.second; });
    return static_cast<double>(hottest->second) / static_cast<double>(lanes_);
  };
  // Lines at the end of a page and at the begin of the next one are in as many slices as those of both.
  const double all = lines(blocks), of_pages = static_cast<double>(pages_.size() * lines_of_two_slices);
  return {pages_.size() > 1 ? std::clamp(of_pages, all, 2 * all) : all, part_of_hottest(lines_),
          part_of_hottest(words_)};
}

}  // namespace warpclock
