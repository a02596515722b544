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

RateCurve::RateCurve(const Machine& machine, const std::string& prefix, const std::string& leaf) {
  for (const Entry& entry : machine.transfers) {
    if (!entry.name.starts_with(prefix)) continue;
    const auto size = whole_number<std::int64_t>(entry.name.substr(prefix.size()));
    const Leaf* rate = size ? find_leaf(entry, leaf) : nullptr;
    if (rate != nullptr && rate->value > 0) cycles_[static_cast<double>(*size)] = 1 / rate->value;
  }
}

double RateCurve::at(double size) const { return on_line(cycles_, size); }

double RateCurve::least() const { return std::ranges::min(std::views::values(cycles_)); }

double RateCurve::most() const { return std::ranges::max(std::views::values(cycles_)); }

}  // namespace warpclock
