#pragma once

#include <cstdint>
#include <string>

namespace warpclock {

/// How samples become a number.
enum class Method {
  Slope,    ///< least squares of cycles over the repeat count; value = slope / divisor
  Rate,     ///< value = work per repeat / slope of cycles over the repeat count
  Elapsed,  ///< median of the window's cycles, at the largest repeat count; value = median / divisor
  /// Median over launches of the rate of the block that takes longest: value = work per repeat x repeats / the cycles
  /// of its window, at the largest repeat count.
  Slowest,
  Fact,     ///< a value that the kernel itself wrote (see `facts`); value = fact / divisor
  Counter,  ///< a metric of configs/counters.yaml; value = metric / divisor
};

/// The most that the hardware can do, in the unit of a measure.
struct Limit {
  double value = 0;  ///< 0 if none is known
  /// The value is per microsecond and SM; it is divided by the SM clock in MHz that is measured around the case. Such a
  /// limit is that of the device's memory. It is 0 in a plan, which knows no device; see with_memory_limits().
  bool per_us = false;
  std::string source;  ///< what the limit is, or who states it
  /// What the limit forbids is no part of an interval. Without it a rate is judged by its whole interval, as in records
  /// of before 2026-11-28.
  bool cuts = false;

  bool operator==(const Limit&) const = default;
};

/// One number that a case reports, resolved for its parameters.
struct Measure {
  std::string name;  ///< stable name of the estimate: "latency", "latency.a", "throughput"
  Method method = Method::Slope;
  std::string unit;       ///< from the fixed list in plan/config/scalar.hpp
  std::int64_t work = 1;  ///< Rate, Slowest: units of work per repeat and SM; all others: divisor
  std::string source;     ///< Fact, Counter: name of the fact or metric
  std::string note;       ///< one sentence that a reader needs to interpret the number, or empty
  /// Slope, Rate: why cycles may not grow linearly although the window is right; or empty. Such a row is `unsteady` and
  /// has a range; it is not rejected.
  std::string unsteady;
  std::int64_t warps = 0;  ///< Rate: warps on an SM; 0 if that is not known
  Limit limit;             ///< Rate

  bool operator==(const Measure&) const = default;
};

/// Which launches a case's counters describe. Launch: the launch with the largest repeat count. Step: what that launch
/// adds to the one with the next smaller repeat count. Passes: what many more passes through the window add to it. With
/// Step and Passes, everything before the window cancels. With Passes, the window also outweighs what does not cancel
/// exactly, but every pass does the same work only if the window continues where the previous pass stopped.
enum class CountersOf { Launch, Step, Passes };

/// What is kept for each place (usually an SM) of a launch, in addition to the sample over all places. Clocks: the
/// cycles of its window, which the kernel reported under the place's number. Written: the word that the kernel wrote
/// for it.
enum class Places { None, Clocks, Written };

enum class Relation { Equal, AtLeast, AtMost };

/// What must hold for a case's numbers to be valid. `value` names a fact or a counter metric.
struct PremiseRule {
  std::string text;
  std::string value;
  Relation relation = Relation::Equal;
  double bound = 0;

  bool operator==(const PremiseRule&) const = default;
};

}  // namespace warpclock
