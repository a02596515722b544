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
  const Leaf *skew = find_leaf(machine, "synchronization/launch.grid/skew"), *mhz = find_leaf(machine, "clocks/sm/mhz"),
             *loaded = find_leaf(machine, "transfers/l2.load/latency");
  if (skew != nullptr && mhz != nullptr) cost.skew = skew->value * mhz->value / 1000;
  // A store is answered as late as a load. Half of what a kernel takes beyond its window is taken to be at its end,
  // where the GPU waits for stores as well.
  if (loaded != nullptr) cost.stored = std::max(0.0, loaded->value - cost.start / 2);
  for (const int warps : {1, 4, 8, 16, 32}) {
    const std::string blocks = fmt::format("blocks.warps_{}/", warps);
    if (const double apart = cycles(blocks + "apart"); apart > 0) cost.apart = apart;
    const double next = cycles(blocks + "next"), turnover = cycles(blocks + "turnover");
    if (next > 0 || turnover > 0) cost.next = turnover > 0 ? turnover : next;
    if (warps >= block_warps) break;
  }
  return cost;
}

}  // namespace warpclock
