#pragma once

#include <functional>

#include "model/machine.hpp"

namespace warpclock {

/// The part of what all SMs load lap after lap that DRAM answers again, over the bytes of a lap: on a line between the
/// rows of `bandwidth/read_laps`. Both halves of L2 keep each of these lines, so laps of little more than half its size
/// are lost. Empty without rows.
[[nodiscard]] std::function<double(double bytes)> lost_of_laps(const Machine& machine);

}  // namespace warpclock
