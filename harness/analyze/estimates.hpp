#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/job/samples.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// Why a number may differ in another process by more than its kind allows (EstimateKind).
struct Cause {
  std::string text;  ///< a clause: "it is on none of the curve's levels"
  double most = 0;   ///< the largest difference between two processes that it explains, in the estimate's unit
  double reach = 0;  ///< reach of the number's interval as a share of it, if that is the cause

  [[nodiscard]] std::string words() const;
  bool operator==(const Cause&) const = default;
};

/// A number with its interval. See analyze/fit.hpp for what `low`..`high` means for each method.
struct Estimate {
  std::string name;
  double value = 0;
  double low = 0, high = 0;
  std::string unit;
  std::string method;  ///< "slope", "rate", "elapsed", "slowest", "last", "energy", "power", "fact", "counter",
                       ///< "encoded" or "intercept"
  std::int64_t n = 0;  ///< number of samples
  std::string note;
  std::optional<Cause> varies = {};  ///< of a record that is written (finished())

  bool operator==(const Estimate&) const = default;
};

/// To that many significant digits. What is not finite stays.
void round_to(double& value, int digits);

/// An estimate with the name, unit, method and note of its measure, and no value yet.
[[nodiscard]] Estimate named_after(const Measure& measure);

/// A premise with its verdict. If it could not be checked (no permission for counters), `known` is false and `held` has
/// no meaning.
struct Premise {
  std::string text;
  bool known = false;
  bool held = false;
  double value = 0;
  std::string why_unknown;

  bool operator==(const Premise&) const = default;
};

/// The results of a case after it has run.
struct Evidence {
  const Samples& samples;
  const std::map<std::string, double>& facts;
  const std::map<std::string, double>& metrics;  ///< metric of configs/counters.yaml -> value
  std::optional<double> encoded_cycles;          ///< from the Verdict, per chain link
};

struct Analysis {
  std::vector<Estimate> estimates;
  std::vector<Error> problems;  ///< measures without a number: "no-slope", "nonlinear", "no-samples", "no-value"
  std::string unsteady;         ///< the range over which a measure varies from step to step, and why it may; or empty
};

/// A number for each measure, in their order:
/// - Slope: slope / work, followed by `<name>.overhead`, the intercept.
/// - Rate: work / slope. Its interval also includes the time for which the clock reads of several warps may wait for
///   each other.
/// - Elapsed: median at the largest repeat count / work, with the 95 % interval of that median.
/// - Slowest: work x repeats / median of the longest block's cycles at the largest repeat count, likewise.
/// - Last: mean of the longest of `work` windows that are drawn among the launches at the largest repeat count, each as
///   likely every time, with two standard errors (a jackknife of ten groups) to either side.
/// - Energy, Power: see energy_samples() and power_of_board().
/// - Fact, Counter: value / work.
///
/// Slope and Rate use the interval of fit_line(). If the line is bent, the measure is unsteady: its interval also
/// covers the slowest and the fastest step. If the measure says why cycles may not grow linearly, its slope is that
/// from the first to the last repeat count, with these steps as its interval, however far the medians are from a line.
/// A counter without a value gives neither an estimate nor a problem, because a run without permission for counters is
/// complete without them. With encoded cycles, the estimate `encoded` comes last. If it differs from the first slope by
/// more than `encoded_tolerance_cycles`, its note says so.
[[nodiscard]] Analysis estimates(const std::vector<Measure>& measures, const Evidence& evidence);

constexpr double encoded_tolerance_cycles = 0.5;

/// A sentence for the report if a measured latency and the encoded dependency distance disagree.
[[nodiscard]] std::optional<std::string> disagreement(const Estimate& latency, double encoded_cycles);

/// Judges every rule, in order. The value of a rule is a fact, or else a counter metric. Without a value the premise is
/// unknown. Its reason is then `missing`, which says why there are no counters; if that is empty, the reason is that
/// nothing wrote the value.
[[nodiscard]] std::vector<Premise> judge(const std::vector<PremiseRule>& rules,
                                         const std::map<std::string, double>& facts,
                                         const std::map<std::string, double>& metrics, const std::string& missing);

/// The limit at that SM clock; 0 if there is none.
[[nodiscard]] double limit_at(const Limit& limit, double sm_mhz);

/// What the hardware can do, in the unit of an estimate.
struct Possible {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

/// Takes what the hardware cannot do from the interval of an estimate. A line through windows whose overhead shrinks,
/// or whose clock reads wait for other warps, may be steeper than the hardware allows; the value is then the middle of
/// what is left. False, and no change, if nothing is left: the estimate is wrong.
[[nodiscard]] bool keep_possible(Estimate& estimate, const Possible& possible);

/// "rate is at most 128 B/clk/SM: 32 banks of 4 bytes". The part of the interval above the limit is taken away, and the
/// premise is broken if nothing is left. A memory never reaches what its bus carries, so a value above that is broken
/// whatever its interval. Nothing if there is no limit, or if it depends on a clock that is unknown.
[[nodiscard]] std::optional<Premise> judge_limit(const Measure& measure, Estimate& estimate, double sm_mhz);

/// "hits in L1: l1_hit_rate should be at least 90, was 51.2"
[[nodiscard]] std::string broken_text(const PremiseRule& rule, const Premise& premise);

/// The energy of a block's window in the place of its cycles, in pJ, of each round of launches: what a unit of work
/// adds to that of the board is the slope. A window that lasts longer than one at the smallest repeat count also takes
/// more of the power that is there without the work, so that much is subtracted: what the smallest one took, for the
/// time by which it is longer.
///
/// Error "no-value" if the board's energy was not counted, or if windows differ by more than a fifth in length, so that
/// what is subtracted decides.
[[nodiscard]] Expected<Samples> energy_samples(const Measure& measure, const Samples& samples);

/// The board's power at the smallest repeat count, in W. The interval is from the lowest to the highest round of
/// launches. Error "no-value".
[[nodiscard]] Expected<Estimate> power_of_board(const Measure& measure, const Samples& samples);

}  // namespace warpclock
