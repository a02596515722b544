#pragma once

#include "model/machine.hpp"

namespace warpclock {

/// Cycles until the first block of a launch issues, with what the end of a kernel takes; from the beginning of a block
/// to that of the next one on its SM; from the end of a block to the beginning of the next one in its place; from the
/// end of one block of an SM to that of the next at least, as the GPU sees it, while blocks end on all SMs. 0 without a
/// row.
struct LaunchCost {
  double start = 0, apart = 0, next = 0, refill = 0;
  double skew = 0;    ///< from the first beginning of a block to that of the SM which is last
  double stored = 0;  ///< from the last store of a kernel until the GPU has seen it end
};
/// Of blocks with so many warps: by the row of as many, or of the next more.
[[nodiscard]] LaunchCost launch_cost(const Machine& machine, int block_warps);

}  // namespace warpclock
