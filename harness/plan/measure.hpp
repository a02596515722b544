#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpclock {

/// How samples become a number.
enum class Method {
  Slope,    ///< least squares of cycles over the repeat count; value = slope / divisor
  Rate,     ///< value = work per repeat / slope of cycles over the repeat count
  Elapsed,  ///< median of the window's cycles, at the largest repeat count; value = median / divisor
  Fact,     ///< a value that the kernel itself wrote (see `facts`); value = fact / divisor
  Counter,  ///< a metric of configs/counters.yaml; value = metric / divisor
};

/// What hardware can do at most, in the unit of a measure.
struct Limit {
  double value = 0;  ///< 0 for none that is known
  /// The value is of a microsecond and SM, and divided by the SM clock that is measured around the case (MHz). It is
  /// that of the device's memory and 0 in a plan, which knows no device; see with_memory_limits().
  bool per_us = false;
  std::string source;  ///< what the limit is, or who states it

  bool operator==(const Limit&) const = default;
};

/// One number that a case reports, resolved for its parameters.
struct Measure {
  std::string name;  ///< stable estimate name: "latency", "latency.a", "throughput"
  Method method = Method::Slope;
  std::string unit;       ///< from the fixed list in plan/config/units.hpp
  std::int64_t work = 1;  ///< Rate: units of work per repeat and SM; all others: divisor
  std::string source;     ///< Fact, Counter: its name
  std::string note;       ///< one sentence a reader needs beside the number, or empty
  /// Slope, Rate: why cycles may not grow in a line where nothing is wrong with the window; or empty. Such a row is
  /// `unsteady`, with a range, and not rejected.
  std::string unsteady;
  std::int64_t warps = 0;  ///< Rate: on an SM; 0 where that is not known
  Limit limit;             ///< Rate

  bool operator==(const Measure&) const = default;
};

/// What a case's counters are of: the launch with the largest repeat count; what that one adds to the launch with the
/// next smaller one (Step) or what many more passes through the window add to it (Passes), in both of which all that
/// stands before the window cancels. Passes outweigh what of it does not cancel exactly, but only a window that goes on
/// where the pass before left off does the same work in each.
enum class CountersOf { Launch, Step, Passes };

/// What is kept of each place (mostly: SM) of a launch beside the sample over all of them. Clocks: the cycles of its
/// window, where the kernel reported under the place's number; Written: the word that the kernel wrote for it.
enum class Places { None, Clocks, Written };

enum class Relation { Equal, AtLeast, AtMost };

/// What must hold for a case's numbers to mean what they say. `value` names a fact or a counter metric.
struct PremiseRule {
  std::string text;
  std::string value;
  Relation relation = Relation::Equal;
  double bound = 0;

  bool operator==(const PremiseRule&) const = default;
};

}  // namespace warpclock
