#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/estimates.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// Judges every rule, in order. The value of a rule is a fact, or else a counter metric. Without a value the premise is
/// unknown. Its reason is then `missing`, which says why there are no counters; if that is empty, the reason is that
/// nothing wrote the value.
[[nodiscard]] std::vector<Premise> judge(const std::vector<PremiseRule>& rules,
                                         const std::map<std::string, double>& facts,
                                         const std::map<std::string, double>& metrics, const std::string& missing);

/// The limit at that SM clock; 0 if there is none.
[[nodiscard]] double limit_at(const Limit& limit, double sm_mhz);

/// What the hardware can do, in the unit of an estimate.
struct Possible {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

/// Takes what the hardware cannot do from the interval of an estimate. A line through windows whose overhead shrinks,
/// or whose clock reads wait for other warps, may be steeper than the hardware allows; the value is then the middle of
/// what is left. False, and no change, if nothing is left: the estimate is wrong.
[[nodiscard]] bool keep_possible(Estimate& estimate, const Possible& possible);

/// "rate is at most 128 B/clk/SM: 32 banks of 4 bytes". The part of the interval above the limit is taken away, and the
/// premise is broken if nothing is left. A memory never reaches what its bus carries, so a value above that is broken
/// whatever its interval. Nothing if there is no limit, or if it depends on a clock that is unknown.
[[nodiscard]] std::optional<Premise> judge_limit(const Measure& measure, Estimate& estimate, double sm_mhz);

/// "hits in L1: l1_hit_rate should be at least 90, was 51.2"
[[nodiscard]] std::string broken_text(const PremiseRule& rule, const Premise& premise);

}  // namespace warpclock
