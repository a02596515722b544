#pragma once

#include "model/machine.hpp"

namespace warpclock {

/// What an SM takes to fetch instructions: cycles from one line of 128 bytes to the next if its nearest cache lacks
/// them, and if the next cache lacks them too, while all SMs fetch; and for how many lines these have room. 0 without
/// rows.
struct FetchCost {
  double second = 0, far = 0;
  double nearest_lines = 0, second_lines = 0;
};
[[nodiscard]] FetchCost fetch_cost(const Machine& machine);

}  // namespace warpclock
