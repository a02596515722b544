#include "predict/program/l2_laps.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "predict/program/rate_curve.hpp"

namespace warpclock {

std::function<double(double bytes)> lost_of_laps(const Machine& machine) {
  constexpr std::string_view row = "l2.laps_";
  std::map<double, double> lost;
  for (const Entry& entry : machine.capacities) {
    if (!entry.name.starts_with(row)) continue;
    const auto bytes = whole_number<std::int64_t>(entry.name.substr(row.size()));
    const Leaf* part = bytes ? find_leaf(entry, "lost") : nullptr;
    if (part != nullptr) lost[static_cast<double>(*bytes)] = std::clamp(part->value, 0.0, 1.0);
  }
  if (lost.empty()) return {};
  return [lost = std::move(lost)](double bytes) { return on_line(lost, bytes); };
}

}  // namespace warpclock
