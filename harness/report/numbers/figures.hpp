#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "record/outline.hpp"

namespace warpclock {

/// Decimals that a column of such values is shown with: 3 below 10, 2 below 1000, 1 below 100000, else none.
/// Values that are all whole numbers get none.
[[nodiscard]] int decimals(std::span<const double> values);

/// Decimals of a probe's column of estimates. Fitted values keep two at least, whole or not: what follows the point is
/// part of what was measured.
[[nodiscard]] int decimals(const ProbeOutline& probe, const std::string& estimate);

/// Fixed point, with a true minus sign; "–" for what is not a number, exponent form from 1e15 on.
[[nodiscard]] std::string fixed(double value, int decimals);

/// "60 MiB" and "1980 MHz"; empty for a fact of the device that is not known (0).
[[nodiscard]] std::string known_bytes(std::int64_t count);
[[nodiscard]] std::string known_megahertz(double value);

/// A share as "+3.4 %", "−0.5 %"; "0.0 %" has no sign.
[[nodiscard]] std::string signed_percent(double share);

/// "±0.02", the wider side where the interval leans; empty where the method gives none.
[[nodiscard]] std::string interval(const Estimate& estimate, int decimals);

/// One number that stands for a probe.
struct Headline {
  std::string name;   ///< the estimate
  std::string value;  ///< "23.00", "23.0 – 29.1"
  std::string unit;
  std::string all_sms;  ///< "33405 GB/s" beside B/clk/SM; empty for most
  std::string detail;   ///< "4 cases", "highest, at warps=16 ilp=4"
};

/// Rates by their highest case, everything else by its range; at most four. Empty when nothing is published.
[[nodiscard]] std::vector<Headline> headlines(const ProbeOutline& probe);

}  // namespace warpclock
