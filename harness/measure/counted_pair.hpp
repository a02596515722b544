#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/counters/counters.hpp"

namespace warpclock {

/// Two kernels that are counted as one, because what is counted costs the same whatever it is: the larger runs on every
/// SM and the smaller on one of them. Each counter then has one unknown for each kernel and three equations:
///
///   the least of an SM = larger,  the most of an SM = larger + smaller,  the sum = SMs x larger + smaller
struct CountedPair {
  CounterValues smaller, larger;  ///< under the names that were asked for

  bool operator==(const CountedPair&) const = default;
};

/// What to ask CUPTI for, of metrics like "smsp__inst_executed.sum": each, and the least and the most of an SM.
[[nodiscard]] std::vector<std::string> pair_metrics(const std::vector<std::string>& sums);

/// Nothing where the equations do not agree, because the blocks were not spread like that or executed other
/// instructions on another SM. A metric that has no value is missing from both.
[[nodiscard]] std::optional<CountedPair> told_apart(const CounterValues& values, const std::vector<std::string>& sums,
                                                    int sms);

}  // namespace warpclock
