#include "predict/program/rate_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <ranges>

#include "base/text.hpp"

namespace warpclock {

double on_line(const std::map<double, double>& points, double key) {
  const auto above = points.lower_bound(key);
  if (above == points.end()) return points.rbegin()->second;
  if (above == points.begin()) return above->second;
  const auto below = std::prev(above);
  return std::lerp(below->second, above->second, (key - below->first) / (above->first - below->first));
}

std::map<double, double> numbered_leaves(const std::vector<Entry>& entries, std::string_view prefix,
                                         std::string_view leaf) {
  std::map<double, double> values;
  for (const Entry& entry : entries) {
    if (!entry.name.starts_with(prefix)) continue;
    const auto number = whole_number<std::int64_t>(entry.name.substr(prefix.size()));
    const Leaf* found = number ? find_leaf(entry, leaf) : nullptr;
    if (found != nullptr) values[static_cast<double>(*number)] = found->value;
  }
  return values;
}

RateCurve::RateCurve(const Machine& machine, const std::string& prefix, const std::string& leaf) {
  for (const auto& [size, rate] : numbered_leaves(machine.transfers, prefix, leaf))
    if (rate > 0) cycles_[size] = 1 / rate;
}

double RateCurve::at(double size) const { return on_line(cycles_, size); }

double RateCurve::least() const { return std::ranges::min(std::views::values(cycles_)); }

double RateCurve::most() const { return std::ranges::max(std::views::values(cycles_)); }

}  // namespace warpclock
