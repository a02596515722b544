#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/estimate.hpp"
#include "plan/measure.hpp"

namespace warpclock {

/// Judges every rule, in order. The value of a rule is a fact, or else a counter metric. Without a value the premise is
/// unknown. Its reason is then `missing`, which says why there are no counters; if that is empty, the reason is that
/// nothing wrote the value.
[[nodiscard]] std::vector<Premise> judge(const std::vector<PremiseRule>& rules,
                                         const std::map<std::string, double>& facts,
                                         const std::map<std::string, double>& metrics, const std::string& missing);

/// The limit at that SM clock; 0 if there is none.
[[nodiscard]] double limit_at(const Limit& limit, double sm_mhz);

/// "rate is at most 128 B/clk/SM: 32 banks of 4 bytes". Broken if the whole interval lies above the limit. Nothing if
/// there is no limit, or if it depends on a clock that is unknown.
[[nodiscard]] std::optional<Premise> judge_limit(const Measure& measure, const Estimate& estimate, double sm_mhz);

/// "hits in L1: l1_hit_rate should be at least 90, was 51.2"
[[nodiscard]] std::string broken_text(const PremiseRule& rule, const Premise& premise);

}  // namespace warpclock
