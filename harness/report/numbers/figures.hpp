#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "record/outline.hpp"

namespace warpclock {

/// The number of decimals for a column of such values: 3 below 10, 2 below 1000, 1 below 100000, else none. Columns of
/// integers get none.
[[nodiscard]] int decimals(std::span<const double> values);

/// The number of decimals for a probe's column of estimates. Fitted values keep at least two, even if they are
/// integers, because the digits after the point were measured.
[[nodiscard]] int decimals(const ProbeOutline& probe, const std::string& estimate);

/// The number of decimals for a probe's column of a counter.
[[nodiscard]] int counter_decimals(const ProbeOutline& probe, const std::string& counter);

/// Fixed point, with a true minus sign; "–" for NaN; exponent form from 1e15 on.
[[nodiscard]] std::string fixed(double value, int decimals);

/// "60 MiB" and "1980 MHz"; empty if the fact is unknown (0).
[[nodiscard]] std::string known_bytes(std::int64_t count);
[[nodiscard]] std::string known_megahertz(double value);

/// A share as "+3.4 %", "−0.5 %"; "0.0 %" has no sign.
[[nodiscard]] std::string signed_percent(double share);

/// "±0.02", the wider side of an asymmetric interval; empty if the method gives none.
[[nodiscard]] std::string interval(const Estimate& estimate, int decimals);

/// A number that represents a probe.
struct Headline {
  std::string name;   ///< the estimate
  std::string value;  ///< "23.00", "23.0 – 29.1"
  std::string unit;
  std::string all_sms;  ///< "33405 GB/s" in addition to B/clk/SM; usually empty
  std::string detail;   ///< "4 cases", "highest, at warps=16 ilp=4"
};

/// Rates by their highest case, everything else by its range; at most four. Empty if nothing is published.
[[nodiscard]] std::vector<Headline> headlines(const ProbeOutline& probe);

}  // namespace warpclock
