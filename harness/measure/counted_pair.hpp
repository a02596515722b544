#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/counters/counters.hpp"

namespace warpclock {

/// Two kernels that are counted as one, because the cost of counting does not depend on what is counted. The larger
/// kernel runs on every SM and the smaller on one of them. Each counter then has two unknowns and three equations:
///
///   minimum over SMs = larger,  maximum over SMs = larger + smaller,  sum = SMs x larger + smaller
struct CountedPair {
  CounterValues smaller, larger;  ///< under the requested names

  bool operator==(const CountedPair&) const = default;
};

/// The CUPTI metrics to collect for metrics like "smsp__inst_executed.sum": each metric, and its minimum and maximum
/// over SMs.
[[nodiscard]] std::vector<std::string> pair_metrics(const std::vector<std::string>& sums);

/// Solves the equations. Nothing if they disagree, because the blocks were distributed differently or executed other
/// instructions on another SM. A metric without a value is missing from both.
[[nodiscard]] std::optional<CountedPair> separate_pair(const CounterValues& values,
                                                       const std::vector<std::string>& sums, int sms);

}  // namespace warpclock
