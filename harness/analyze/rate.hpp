#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimate.hpp"
#include "base/error.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// A point of a throughput grid: `warps` warps of one block, each with `ilp` independent chains.
struct RatePoint {
  int warps = 0, ilp = 0;
  double rate = 0, low = 0, high = 0;  ///< thread results a clock and SM
  double last = 0;                     ///< of the last step of the repeat count alone
  double achieved = 0;                 ///< of the whole largest window, with all that is not a copy: a bound from below
  std::int64_t samples = 0;
};

/// From the slope of cycles over the repeat count: each step is warps x ilp x trips x 32 results. The interval holds
/// the last step, too, and both may be off by skew_cycles(). Errors: those of fit_line().
[[nodiscard]] Expected<RatePoint> rate_point(int warps, int ilp, int trips, const Samples& samples);

/// What the grid says: `throughput` (1/clk/SM), the middle one of those that are within 1 % of the highest, among the
/// points that did nearly the most work in their largest windows (where what a loop costs is hidden better behind more
/// copies, a slope alone is too low; one whose last step has 5 % less is too high, and counts where there is no other);
/// `interval`, cycles between two warp instructions of a scheduler there (an SM has four); `saturation`, warps x ilp of
/// the smallest point with 95 % of it; and `issue`, cycles between two independent instructions of a single warp, where
/// the grid has one with more than one chain. Nothing of an empty grid.
[[nodiscard]] std::vector<Estimate> rates(const std::vector<RatePoint>& grid);

/// The slope without the cycles of the links between copies, which `note` names.
[[nodiscard]] Expected<Estimate> chain_latency(const std::string& name, const Samples& samples,
                                               const std::vector<std::pair<std::string, double>>& via);

}  // namespace warpclock
