#include "measure/second_look.hpp"

#include <algorithm>

namespace warpclock {
namespace {

bool scatter(const Samples& samples) {
  constexpr double same = 0.001;
  return std::ranges::any_of(samples, [](const Series& series) {
    if (series.cycles.empty()) return false;
    const auto [least, most] = std::ranges::minmax(series.cycles);
    return most - least > same * least;
  });
}

}  // namespace

std::set<int> scattering_warps(const InstructionRecord& row) {
  constexpr double known = 0.005;
  const auto rate = std::ranges::find(row.estimates, "throughput", &Estimate::name);
  const InstructionRun* run = row.throughput_run();
  if (rate == row.estimates.end() || run == nullptr) return {};
  std::set<int> warps;
  double most = rate->high;
  for (const ThroughputPoint& point : row.curve) {
    most = std::max(most, point.rate);
    const auto samples = run->samples.find(point.warps);
    if (point.rate >= rate->value && samples != run->samples.end() && scatter(samples->second))
      warps.insert(point.warps);
  }
  if (std::max(most - rate->value, rate->value - rate->low) <= known * rate->value) return {};
  return warps;
}

}  // namespace warpclock
