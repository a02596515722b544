#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimates.hpp"
#include "base/error.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// A point of a throughput grid: `warps` warps of one block, each with `ilp` independent chains.
struct RatePoint {
  int warps = 0, ilp = 0;
  double rate = 0, low = 0, high = 0;  ///< thread results per clock and SM
  double last = 0;                     ///< rate of the last step of the repeat count alone
  double achieved = 0;                 ///< rate of the whole largest window, overhead included: a lower bound
  std::int64_t samples = 0;
  std::string bend;  ///< see Line::bend
};

/// Computed from the slope of cycles over the repeat count; each repeat gives warps x ilp x trips x 32 results. The
/// interval also covers the last step, and allows for an error of skew_cycles() in both. Errors: those of fit_line().
[[nodiscard]] Expected<RatePoint> rate_point(int warps, int ilp, int trips, const Samples& samples);

/// The results of a grid; empty for an empty grid:
/// - `throughput` (1/clk/SM): the middle one of the rates that are within 1 % of the highest, among the points that did
///   nearly the most work in their largest windows; of points with one rate, the best known. (If more copies hide the
///   overhead of a loop better, a slope alone is too low. If the last step has a rate 5 % lower, or the line is bent,
///   the slope is too high; such a point is used only if there is no other.)
/// - `interval`: cycles between two warp instructions of a scheduler at that point (an SM has four schedulers).
/// - `saturation`: warps x ilp of the smallest point with 95 % of the throughput.
/// - `issue`: cycles between two independent instructions of a single warp, if the grid has such a point with several
///   chains.
/// Each is what the hardware can issue, see keep_possible(). Error "premise-broken" if no part of an interval is.
[[nodiscard]] Expected<std::vector<Estimate>> rates(const std::vector<RatePoint>& grid);

/// The slope less the cycles of the links between copies, which `note` names.
[[nodiscard]] Expected<Estimate> chain_latency(const std::string& name, const Samples& samples,
                                               const std::vector<std::pair<std::string, double>>& via);

}  // namespace warpclock
