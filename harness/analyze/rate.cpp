#include "analyze/rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "analyze/estimates.hpp"
#include "analyze/fit.hpp"
#include "gpu/job/statistics.hpp"

namespace warpclock {
namespace {

constexpr double lanes = 32, schedulers = 4, saturated = 0.95, nearly = 0.9, straight = 0.95, level_share = 0.99,
                 same = 0.0001;
constexpr double most_results = schedulers * lanes;  ///< of a clock and SM: a scheduler issues an instruction a clock

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

double middle(const Series& series) { return trimmed_mean(sorted_finite(series.cycles)); }

/// Among the points that did nearly the most work, the middle one of those with the highest rate. Points of one plateau
/// differ by how well they hide the overhead of a trip, and by chance, so the highest is above what the hardware does.
/// Of points with the same rate, the one with the narrowest interval: more warps make a longer window.
/// The rate of a point is here the lower of the rates of its line and its last step. The line is too flat if larger
/// windows hide more overhead, or if small windows leave work in a queue. Points above what the hardware can issue
/// count as many, but are taken only if there is no other.
const RatePoint& plateau(const std::vector<RatePoint>& grid) {
  const double most = std::ranges::max_element(grid, {}, &RatePoint::achieved)->achieved;
  const auto place = [&](const RatePoint& point) {
    const bool is_line = point.last >= straight * point.rate && point.bend.empty();
    return std::tuple(point.achieved >= nearly * most, is_line, std::min(point.last, point.rate));
  };
  const auto [worked, straight_there, highest] = place(*std::ranges::max_element(grid, {}, place));
  std::vector<const RatePoint*> level, possible;
  for (const RatePoint& point : grid) {
    const auto [works, is_straight, rate] = place(point);
    if (works != worked || is_straight != straight_there || rate < level_share * std::min(highest, most_results))
      continue;
    level.push_back(&point);
    if (point.rate <= most_results) possible.push_back(&point);
  }
  std::vector<const RatePoint*>& taken = possible.empty() ? level : possible;
  std::ranges::stable_sort(taken, {}, &RatePoint::rate);
  const double middle_rate = taken[(taken.size() - 1) / 2]->rate;
  std::erase_if(taken,
                [&](const RatePoint* point) { return std::abs(point->rate - middle_rate) > same * middle_rate; });
  return **std::ranges::min_element(taken, {}, [](const RatePoint* point) { return point->high - point->low; });
}

Error impossible(const Estimate& estimate, std::string_view limit) {
  return {"premise-broken",
          fmt::format("{} is {}; was {:.5g} ({:.5g} to {:.5g})", estimate.name, limit, estimate.value, estimate.low,
                      estimate.high),
          {}};
}

/// Cycles between two warp instructions at a rate of thread results.
Estimate cycles_between(std::string name, double results, const Estimate& rate, const RatePoint& from) {
  return plain(std::move(name), results / rate.value, results / rate.high, results / rate.low, "cycles", from);
}

}  // namespace

Expected<RatePoint> rate_point(int warps, int ilp, int trips, const Samples& samples) {
  const auto line = WARPCLOCK_TRY(fit_line(samples, Centre::TrimmedMean));
  const double results = lanes * warps * ilp * trips;
  const Series &largest = samples.back(), &before = samples[samples.size() - 2];
  const auto repeats = static_cast<double>(largest.n - before.n);
  const double last = (middle(largest) - middle(before)) / repeats;
  const double skew = skew_cycles(warps);
  const double slowest = std::max(line.slope_high + skew / line.span, last + skew / repeats);
  const double fastest = std::min(line.slope_low - skew / line.span, last - skew / repeats);
  return RatePoint{.warps = warps,
                   .ilp = ilp,
                   .rate = results / line.slope,
                   .low = results / slowest,
                   .high = results / (fastest > 0 ? fastest : line.slope_low),
                   .last = last > 0 ? results / last : 0,
                   .achieved = results * static_cast<double>(largest.n) / middle(largest),
                   .samples = line.samples,
                   .bend = line.bend};
}

Expected<std::vector<Estimate>> rates(const std::vector<RatePoint>& grid) {
  std::vector<Estimate> estimates;
  if (grid.empty()) return estimates;
  const RatePoint& best = plateau(grid);
  Estimate throughput = plain("throughput", best.rate, best.low, best.high, "1/clk/SM", best);
  if (!keep_possible(throughput, {.most = most_results})) {
    return std::unexpected(impossible(throughput, "at most 128: a warp instruction a clock and scheduler"));
  }
  estimates.push_back(throughput);
  estimates.push_back(cycles_between("interval", most_results, throughput, best));
  const RatePoint* first = nullptr;
  const RatePoint* single = nullptr;
  for (const RatePoint& point : grid) {
    const bool is_there = point.rate >= saturated * throughput.value && (point.bend.empty() || &point == &best);
    if (is_there && (!first || point.warps * point.ilp < first->warps * first->ilp)) first = &point;
    if (point.warps == 1 && point.ilp > 1 && (!single || point.rate > single->rate)) single = &point;
  }
  const double enough = first->warps * first->ilp;
  estimates.push_back(plain("saturation", enough, enough, enough, "", *first));
  if (single) {
    Estimate alone = plain("issue", single->rate, single->low, single->high, "1/clk/SM", *single);
    if (!keep_possible(alone, {.most = lanes})) {
      return std::unexpected(impossible(alone, "at most 32: an instruction of a warp a clock"));
    }
    estimates.push_back(cycles_between("issue", lanes, alone, *single));
  }
  return estimates;
}

Expected<Estimate> chain_latency(const std::string& name, const Samples& samples,
                                 const std::vector<std::pair<std::string, double>>& via) {
  const auto line = WARPCLOCK_TRY(fit_line(samples, Centre::TrimmedMean));
  double links = 0;
  std::string note;
  for (const auto& [opcode, cycles] : via) {
    links += cycles;
    note += fmt::format("{}{} ({:g} cycles, encoded)", note.empty() ? "via " : ", ", opcode, cycles);
  }
  Estimate estimate;
  estimate.name = name;
  estimate.value = line.slope - links;
  estimate.low = line.slope_low - links;
  estimate.high = line.slope_high - links;
  estimate.unit = "cycles";
  estimate.method = "slope";
  estimate.n = line.samples;
  if (!line.bend.empty()) note += (note.empty() ? "" : "; ") + line.bend;
  estimate.note = std::move(note);
  return estimate;
}

}  // namespace warpclock
