#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "base/error.hpp"
#include "gpu/job/samples.hpp"
#include "plan/measure.hpp"

namespace warpclock {

/// What is known of a case once it has run.
struct Evidence {
  const Samples& samples;
  const std::map<std::string, double>& facts;
  const std::map<std::string, double>& metrics;  ///< metric of configs/counters.yaml -> value
  std::optional<double> encoded_cycles;          ///< Verdict's: per chain link
};

struct Analysis {
  std::vector<Estimate> estimates;
  std::vector<Error> problems;  ///< measures that gave no number: "no-slope", "nonlinear", "no-samples", "no-value"
  std::string unsteady;         ///< between what a measure changes from step to step, and why that may be; or empty
};

/// A number for each measure, in their order.
/// Slope: slope / work, and beside it `<name>.overhead`, the intercept. Rate: work / slope, whose interval also has
/// what the clock reads of several warps may wait for each other. Both with the interval of fit_line; where that says
/// "nonlinear" and the measure says why it may be, from the first repeat count to the last, with the rates of the
/// slowest and the fastest step as interval. Elapsed: median at the largest repeat count / work, with the 95 % interval
/// of that median. Fact and Counter: value / work. A counter without a value gives no estimate and no problem: a run
/// without permission for counters is complete but for them. With encoded cycles, `encoded` follows the rest; where it
/// differs from the first slope by more than `encoded_tolerance_cycles`, its note says so.
[[nodiscard]] Analysis estimates(const std::vector<Measure>& measures, const Evidence& evidence);

constexpr double encoded_tolerance_cycles = 0.5;

/// The finding, when a measured latency and the encoded dependency distance disagree.
[[nodiscard]] std::optional<std::string> disagreement(const Estimate& latency, double encoded_cycles);

}  // namespace warpclock
