#include "predict/program/l2_laps.hpp"

#include <algorithm>
#include <utility>

#include "predict/program/rate_curve.hpp"

namespace warpclock {

std::function<double(double bytes)> lost_of_laps(const Machine& machine) {
  auto lost = numbered_leaves(machine.capacities, "l2.laps_", "lost");
  if (lost.empty()) return {};
  for (auto& [bytes, part] : lost) part = std::clamp(part, 0.0, 1.0);
  return [lost = std::move(lost)](double bytes) { return on_line(lost, bytes); };
}

}  // namespace warpclock
