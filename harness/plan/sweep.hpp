#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// More points than this are a typing error, not a sweep.
inline constexpr std::size_t max_points = 4096;

[[nodiscard]] bool matches(const Clause& clause, const Parameters& point);
[[nodiscard]] bool matches_any(const std::vector<Clause>& clauses, const Parameters& point);

/// The points of a sweep: explicit rows (slowest) times axes (the first slowest), less what `where` and `except` drop.
/// Parameters stand in the order of the first row's columns, then of the axes. A sweep of nothing has one point without
/// parameters. Error "config": rows with different columns, a name used twice, equal values, too many points, none
/// left.
[[nodiscard]] Expected<std::vector<Parameters>> expand(const Sweep& sweep);

/// Every parameter of the sweep with all the values that it takes, in the order of the parameters.
[[nodiscard]] std::vector<Axis> columns(const Sweep& sweep);

/// "bytes=16,cache=cg"
[[nodiscard]] std::string to_string(const Parameters& point);

/// What a case of the probe "async_copy/latency" is called: "async_copy/latency[bytes=16,cache=cg]".
[[nodiscard]] std::string id_of(const std::string& probe, const Parameters& point);

}  // namespace warpclock
