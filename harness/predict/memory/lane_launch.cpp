#include "predict/memory/lane_launch.hpp"

#include <algorithm>
#include <utility>

namespace warpclock {
namespace {

/// Where the constant bank has the size of a block, and the arguments. Source: the driver's ABI as nvdisasm shows it in
/// any kernel (`c[0x0][0x210]` is the first argument on sm_90).
std::pair<int, int> bank_places(const std::string& target) {
  if (target.starts_with("sm_9")) return {0, 0x210};
  if (target.starts_with("sm_8") || target.starts_with("sm_7")) return {0, 0x160};
  return {0x360, 0x380};
}

}  // namespace

LaneLaunch lane_launch(const std::string& target, const KernelFacts& facts, const LaunchShape& shape) {
  const auto [block_at, parameters_at] = bank_places(target);
  LaneLaunch launch{.block = shape.block, .block_at = block_at, .parameters_at = parameters_at};
  launch.grid = shape.grid;
  launch.parameters_end = parameters_at + facts.parameter_bytes;
  launch.buffers_known = shape.arguments_known;
  for (const auto& [place, bytes] : shape.buffers) launch.buffers.insert(place);
  launch.equal_buffers = shape.equal;
  launch.words = shape.words;
  const auto all = static_cast<std::size_t>(shape.block[0]) * static_cast<std::size_t>(shape.block[1]) *
                   static_cast<std::size_t>(shape.block[2]);
  launch.threads = std::min(all == 0 ? warp_lanes : all, most_followed_threads);
  return launch;
}

}  // namespace warpclock
