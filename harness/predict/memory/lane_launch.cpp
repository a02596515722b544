#include "predict/memory/lane_launch.hpp"

#include <algorithm>

#include "execute/launch.hpp"

namespace warpclock {
LaneLaunch lane_launch(const std::string& target, const KernelFacts& facts, const LaunchShape& shape) {
  const BankPlaces bank = bank_places(target);
  const int parameters_at = static_cast<int>(bank.arguments);
  LaneLaunch launch{.block = shape.block, .block_at = static_cast<int>(bank.block), .parameters_at = parameters_at};
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
