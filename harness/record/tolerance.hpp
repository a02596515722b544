#pragma once

#include <array>
#include <string_view>

#include "base/words.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The kind of an estimate. It determines by how much two runs on one GPU may differ: fixed latencies (a slope with
/// encoded cycles) by 0.1 cycle; rates in bytes by 2 %, others by 0.5 %; other cycles, which memory or the scheduler
/// determines, by 0.5 %; percentages from counters by 1 point (shares by 0.01), other counters by 1 %; facts from the
/// kernel or the compiler (facts, encoded cycles) not at all.
enum class Kind { FixedLatency, Rate, Bandwidth, Cycles, Counter, Exact };

template <>
inline constexpr auto enum_words<Kind> =
    std::array<std::string_view, 6>{"fixed latency", "rate", "bandwidth", "cycles", "counter", "exact"};

[[nodiscard]] Kind kind_of(const CaseRecord& row, const Estimate& estimate);

/// The larger distance from the estimate to an end of its interval, in its unit.
[[nodiscard]] double reach_of(const Estimate& estimate);

/// In the estimate's unit.
[[nodiscard]] double tolerance_of(Kind kind, const Estimate& estimate);

}  // namespace warpclock
