#include "analyze/rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyze/fit.hpp"

namespace warpclock {
namespace {

constexpr double lanes = 32, schedulers = 4, saturated = 0.95;

Estimate plain(std::string name, double value, double low, double high, std::string unit, const RatePoint& from) {
  Estimate estimate;
  estimate.name = std::move(name);
  estimate.value = value;
  estimate.low = low;
  estimate.high = high;
  estimate.unit = std::move(unit);
  estimate.method = "rate";
  estimate.n = from.samples;
  estimate.note = fmt::format("{} warps x {}", from.warps, from.ilp);
  return estimate;
}

/// Whether the cycles of a copy are the same, within 2 %, from each repeat count to the next.
bool steps_alike(const Samples& samples) {
  std::optional<double> first;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double each = (median_cycles(samples[i].cycles) - median_cycles(samples[i - 1].cycles)) /
                        static_cast<double>(samples[i].n - samples[i - 1].n);
    if (!first) first = each;
    if (std::abs(each - *first) > 0.02 * *first) return false;
  }
  return true;
}

}  // namespace

Expected<RatePoint> rate_point(int warps, int ilp, int trips, const Samples& samples) {
  const auto line = fit_line(samples);
  if (!line) return std::unexpected(line.error());
  const double results = lanes * warps * ilp * trips;
  return RatePoint{.warps = warps,
                   .ilp = ilp,
                   .rate = results / line->slope,
                   .low = results / line->slope_high,
                   .high = results / line->slope_low,
                   .even = steps_alike(samples),
                   .samples = line->samples};
}

std::vector<Estimate> rates(const std::vector<RatePoint>& grid) {
  std::vector<Estimate> estimates;
  if (grid.empty()) return estimates;
  const bool even = std::ranges::any_of(grid, &RatePoint::even);
  const RatePoint& best = *std::ranges::max_element(
      grid, {}, [&](const RatePoint& point) { return even && !point.even ? 0 : point.rate; });
  estimates.push_back(plain("throughput", best.rate, best.low, best.high, "1/clk/SM", best));
  const double all = schedulers * lanes;
  estimates.push_back(plain("interval", all / best.rate, all / best.high, all / best.low, "cycles", best));
  const RatePoint* first = nullptr;
  const RatePoint* single = nullptr;
  for (const RatePoint& point : grid) {
    if (point.even == best.even && point.rate >= saturated * best.rate && (!first || point.warps * point.ilp < first->warps * first->ilp)) {
      first = &point;
    }
    if (point.warps == 1 && point.ilp > 1 && (!single || point.rate > single->rate)) single = &point;
  }
  const double enough = first->warps * first->ilp;
  estimates.push_back(plain("saturation", enough, enough, enough, "", *first));
  if (single) {
    estimates.push_back(
        plain("issue", lanes / single->rate, lanes / single->high, lanes / single->low, "cycles", *single));
  }
  return estimates;
}

Expected<Estimate> chain_latency(const std::string& name, const Samples& samples,
                                 const std::vector<std::pair<std::string, double>>& via) {
  const auto line = fit_line(samples);
  if (!line) return std::unexpected(line.error());
  double links = 0;
  std::string note;
  for (const auto& [opcode, cycles] : via) {
    links += cycles;
    note += fmt::format("{}{} ({:g} cycles, encoded)", note.empty() ? "via " : ", ", opcode, cycles);
  }
  Estimate estimate;
  estimate.name = name;
  estimate.value = line->slope - links;
  estimate.low = line->slope_low - links;
  estimate.high = line->slope_high - links;
  estimate.unit = "cycles";
  estimate.method = "slope";
  estimate.n = line->samples;
  estimate.note = std::move(note);
  return estimate;
}

}  // namespace warpclock
