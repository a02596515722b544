#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// What stands for the launches of one repeat count. Medians where one launch in a few dozen meets an interrupt or a
/// refresh and reads thousands of cycles more; trimmed means where launches differ by what they met, as two sides of
/// L2, between which a median jumps.
enum class Centre : std::uint8_t { Median, TrimmedMean };

/// A line through the medians of cycles over the repeat count, all in cycles (the slope: cycles per repeat).
struct Line {
  double slope = 0, slope_low = 0, slope_high = 0;
  double intercept = 0, intercept_low = 0, intercept_high = 0;  ///< overhead: what an empty window would cost
  double residual = 0;                                          ///< how far the worst median lies off the line
  std::int64_t worst_n = 0;                                     ///< where that is
  double span = 0;                                              ///< repeats from the smallest to the largest count
  double residual_share = 0;  ///< of the rise of the line from the smallest to the largest repeat count
  std::int64_t samples = 0;
};

/// A median may lie this share of the line's rise off the line, or this many cycles (two clock reads and a scoreboard
/// wait jitter by that much), whichever is more.
constexpr double max_residual_share = 0.05;
constexpr double max_residual_cycles = 8;
/// What a launch meets may itself be a matter of chance (a random walk of which a part fits a cache). A median whose
/// own 95 % interval reaches the line may lie this share off it; the interval of the slope has the whole distance in
/// it.
constexpr double max_scatter_share = 0.2;

/// Least squares over the centre of each repeat count; below, what is said of medians holds of trimmed means, too.
///
/// The interval adds two doubts. Sampling: slope and intercept are weighted sums of the medians, so the 95 % interval
/// of each median (see median_interval) goes through its weight, and as the medians are independent the parts add as
/// squares. Lack of fit: were every median off by the largest residual, each in the direction that hurts most, the sum
/// would move by that residual times the sum of the absolute weights. Both are exact functions of the samples, with no
/// random draw, so that a replay gives the same bytes.
///
/// Errors: "no-slope" with fewer than three repeat counts, a slope that is not positive, or one that cannot be told
/// from zero; "nonlinear" when a median lies further off the line than the constants above allow.
[[nodiscard]] Expected<Line> fit_line(const Samples& samples, Centre centre = Centre::Median);

/// How many cycles the rise of a line of several warps may be off the work. A window goes from the first warp's clock
/// read to the last one's. The schedulers (an SM has four) are not in step, and each issues one clock read a cycle: at
/// either end of either window the last read may come as many cycles later as a scheduler has warps. Nothing for one
/// warp, which opens and closes its window itself.
[[nodiscard]] double skew_cycles(std::int64_t warps);

/// Cycles per repeat where they do not grow in a line: from the smallest to the largest repeat count, and of the
/// flattest and the steepest step from one repeat count to the next.
struct Steps {
  double slope = 0, least = 0, most = 0;
  std::int64_t samples = 0;
};

/// Of the medians. Nothing when a step is not upward: that is no number of anything.
[[nodiscard]] std::optional<Steps> steps_of(const Samples& samples);

}  // namespace warpclock
