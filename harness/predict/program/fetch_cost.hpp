#pragma once

#include "model/machine.hpp"

namespace warpclock {

/// What an SM takes to fetch instructions: cycles from one line of 128 bytes to the next if its nearest cache lacks
/// them, and if the next cache lacks them too, while all SMs fetch; cycles until the line of a taken jump is there; and
/// for how many lines these caches have room. 0 without rows.
struct FetchCost {
  double second = 0, far = 0;
  double second_jump = 0, far_jump = 0;
  double nearest_lines = 0, second_lines = 0;
  bool cold = false;  ///< whether the next cache has nothing of the code when the launch begins
};
[[nodiscard]] FetchCost fetch_cost(const Machine& machine, bool cold = false);

}  // namespace warpclock
