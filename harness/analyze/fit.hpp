#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimates.hpp"
#include "base/error.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// The statistic that represents the launches of one repeat count. The median is for launches of which a few in a
/// hundred meet an interrupt or a refresh and read thousands of cycles more. The trimmed mean is for launches that fall
/// into classes, such as the two sides of L2, between which a median jumps.
enum class Centre : std::uint8_t { Median, TrimmedMean };

/// A line through the medians of cycles over the repeat count. All values are in cycles; the slope is in cycles per
/// repeat.
struct Line {
  double slope = 0, slope_low = 0, slope_high = 0;
  double intercept = 0, intercept_low = 0, intercept_high = 0;  ///< the overhead: the cost of an empty window
  double residual = 0;                                          ///< distance of the worst median from the line
  std::int64_t worst_n = 0;                                     ///< the repeat count of that median
  double span = 0;                                              ///< the largest repeat count less the smallest
  double residual_share = 0;  ///< residual as a share of the rise of the line over the span
  std::int64_t samples = 0;
  std::string bend;  ///< where the medians are no line, in words; empty if they are one
};

/// The distance from the line that a median of a straight line has: this share of the line's rise, or this many cycles
/// (the jitter of two clock reads and a scoreboard wait), whichever is larger. Launches may differ by chance (a random
/// walk of which a part fits a cache), so a median whose 95 % interval reaches the line belongs to it, too.
constexpr double max_residual_share = 0.05;
constexpr double max_residual_cycles = 8;
/// Further away the line is bent. It still gives a slope, whose interval includes the whole distance, so that chance
/// decides how wide the interval is and not whether there is a number. Beyond this distance it is no line; no row of
/// the committed records is near it.
constexpr double max_bend_share = 0.2;
constexpr double max_bend_cycles = 16;

/// A least-squares line through the centre of each repeat count. What follows about medians also holds for trimmed
/// means.
///
/// The interval adds two uncertainties. Sampling: slope and intercept are weighted sums of the medians, so the 95 %
/// interval of each median (see median_interval) is multiplied by its weight, and the parts add as squares because the
/// medians are independent. Lack of fit: if every median were off by the largest residual, in the worst direction, the
/// sum would change by that residual times the sum of the absolute weights. Both are exact functions of the samples,
/// without random numbers, so that a replay gives the same bytes.
///
/// Errors: "no-slope" with fewer than three repeat counts, or if the slope is not positive or cannot be distinguished
/// from zero; "nonlinear" if a median is further from the line than a bent line allows.
[[nodiscard]] Expected<Line> fit_line(const Samples& samples, Centre centre = Centre::Median);

/// The largest error, in cycles, of the rise of a line of several warps. A window goes from the clock read of the first
/// warp to that of the last one. The schedulers (an SM has four) do not run in step, and each issues one clock read per
/// cycle. So at either end of either window the last read may be late by as many cycles as a scheduler has warps. 0 for
/// a single warp, which opens and closes its window itself.
[[nodiscard]] double skew_cycles(std::int64_t warps);

/// Cycles per repeat if they do not grow linearly: from the smallest to the largest repeat count, and for the flattest
/// and the steepest step between repeat counts.
struct Steps {
  double slope = 0, least = 0, most = 0;
  std::int64_t samples = 0;
};

/// Computed from the medians. Nothing if a step does not rise, because then there is no meaningful slope.
[[nodiscard]] std::optional<Steps> steps_of(const Samples& samples);

/// What is known of a chain beside the slope of its windows.
struct ChainFacts {
  std::optional<double> encoded;  ///< cycles of a copy without its links, if they are encoded
  double links = 0;               ///< cycles of a copy's links
  bool mixed = false;             ///< the copies are of several opcodes, so that the latency is a mean
};

/// States a fixed latency as what it is. ptxas schedules the ends of each window by itself, so a window may be a few
/// cycles shorter than its copies say, and a line through three windows then has a slope a little off. So where all
/// launches of each window took the same cycles, the interval also covers each step from one window to the next. A
/// fixed latency is a whole number of cycles: if the encoded distance is whole and in that interval, it is the latency;
/// if nothing is encoded, the only whole number in it is. The note then says what the line had. Otherwise, and where
/// the latency is whole already, nothing changes.
void state_fixed_latency(Estimate& latency, const Samples& samples, const ChainFacts& facts);

/// Why the interval of a latency does not hold what is encoded, if that is a mean over copies; else nothing.
[[nodiscard]] std::optional<std::string> encoded_mean(const Estimate& latency, const Estimate& encoded);

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
