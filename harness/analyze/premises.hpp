#pragma once

#include <map>
#include <optional>
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

/// The limit at that SM clock; 0 for none.
[[nodiscard]] double limit_at(const Limit& limit, double sm_mhz);

/// "rate is at most 128 B/clk/SM: 32 banks of 4 bytes": broken where the whole interval lies above the limit. Nothing
/// without a limit, or where it needs a clock that is not known.
[[nodiscard]] std::optional<Premise> judge_limit(const Measure& measure, const Estimate& estimate, double sm_mhz);

/// "hits in L1: l1_hit_rate should be at least 90, was 51.2"
[[nodiscard]] std::string broken_text(const PremiseRule& rule, const Premise& premise);

}  // namespace warpclock
