#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// The CUPTI metrics that make up `metric` on `chip` ("GH100"); empty when that chip cannot count it.
[[nodiscard]] const std::vector<std::string>& counters_on(const Metric& metric, std::string_view chip);

/// The CUPTI metrics that the metrics called `names` need together on `chip`, sorted, each once: what to collect.
/// Error "config" on a name that is not among `metrics`. Metrics that the chip cannot count add nothing.
[[nodiscard]] Expected<std::vector<std::string>> counters_for(const std::vector<std::string>& names,
                                                              const std::vector<Metric>& metrics,
                                                              std::string_view chip);

/// The value of `metric` from what Counters::collect gave on `chip`.
/// Errors: "metric-absent" (the chip cannot count it, or the hardware gave no value), "metric-undefined" (the divisor
/// of a ratio is zero: nothing happened that it is a share of), "config" (unknown formula, or too few counters for it).
[[nodiscard]] Expected<double> evaluate(const Metric& metric, std::string_view chip,
                                        const std::map<std::string, double>& collected);

}  // namespace warpclock
