#include "predict/program/launch_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace warpclock {

LaunchCost launch_cost(const Machine& machine, int block_warps) {
  LaunchCost cost;
  const auto cycles = [&](const std::string& path) {
    const Leaf* row = find_leaf(machine, "synchronization/launch." + path);
    return row == nullptr ? 0 : row->value;
  };
  cost.start = std::max(0.0, cycles("kernel/active") - cycles("kernel/window"));
  cost.refill = cycles("grid/refill");
  for (const int warps : {1, 4, 8, 16, 32}) {
    const std::string blocks = fmt::format("blocks.warps_{}/", warps);
    if (const double apart = cycles(blocks + "apart"); apart > 0) cost.apart = apart;
    if (const double next = cycles(blocks + "next"); next > 0) cost.next = next;
    if (warps >= block_warps) break;
  }
  return cost;
}

}  // namespace warpclock
