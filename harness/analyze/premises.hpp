#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "plan/measure.hpp"

namespace warpclock {

/// Judges every rule, in order. A rule's value is a fact, or else a counter metric. Without one the premise is unknown:
/// `missing` says why there are no counters; an empty `missing` makes the reason that nothing wrote the value.
[[nodiscard]] std::vector<Premise> judge(const std::vector<PremiseRule>& rules,
                                         const std::map<std::string, double>& facts,
                                         const std::map<std::string, double>& metrics, const std::string& missing);

/// "hits in L1: l1_hit_rate should be at least 90, was 51.2"
[[nodiscard]] std::string broken_text(const PremiseRule& rule, const Premise& premise);

}  // namespace warpclock
