#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// The CUPTI metrics that make up `metric` on `chip` ("GH100"); empty if that chip cannot count it.
[[nodiscard]] const std::vector<std::string>& counters_on(const Metric& metric, std::string_view chip);

/// The CUPTI metrics to collect on `chip` for the metrics called `names`, sorted and without duplicates. Error "config"
/// if a name is not in `metrics`. Metrics that the chip cannot count add nothing.
[[nodiscard]] Expected<std::vector<std::string>> counters_for(const std::vector<std::string>& names,
                                                              const std::vector<Metric>& metrics,
                                                              std::string_view chip);

/// The value of `metric`, computed from the result of Counters::collect() on `chip`. Errors: "metric-absent" (the chip
/// cannot count it, or the hardware gave no value), "metric-undefined" (the divisor of a ratio is zero), "config"
/// (unknown formula, or too few counters for it).
[[nodiscard]] Expected<double> evaluate(const Metric& metric, std::string_view chip,
                                        const std::map<std::string, double>& collected);

}  // namespace warpclock
