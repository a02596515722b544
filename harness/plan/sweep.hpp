#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// A sweep of more points than this is taken for a typing error.
inline constexpr std::size_t max_points = 4096;
/// So is one of more parameters or clauses, and a file whose sweeps have more points together.
inline constexpr std::size_t max_parameters = 32, max_clauses = 256, max_file_points = 4 * max_points;

[[nodiscard]] bool matches(const Clause& clause, const Parameters& point);
[[nodiscard]] bool matches_any(const std::vector<Clause>& clauses, const Parameters& point);

/// The points of a sweep: explicit rows (slowest) times axes (the first slowest), less those that `where` and `except`
/// drop. Parameters are in the order of the first row's columns, then of the axes. An empty sweep has one point without
/// parameters. Error "config": rows with different columns, a name used twice, equal values, too many points, no point
/// left.
[[nodiscard]] Expected<std::vector<Parameters>> expand(const Sweep& sweep);

/// Every parameter of the sweep with all the values that it takes, in the order of the parameters.
[[nodiscard]] std::vector<Axis> columns(const Sweep& sweep);

/// "bytes=16,cache=cg"
[[nodiscard]] std::string to_string(const Parameters& point);

/// The name of a case of the probe "async_copy/latency": "async_copy/latency[bytes=16,cache=cg]".
[[nodiscard]] std::string id_of(const std::string& probe, const Parameters& point);

/// Whether `arch` has what the probe measures.
[[nodiscard]] bool has(const Arch& arch, const Needs& needs);

/// What this architecture lacks of what a probe needs at this point; null if it has all.
[[nodiscard]] const Needs* lacking(const Arch& arch, const Probe& probe, const Parameters& point);

/// The first window for this architecture and point, or null.
[[nodiscard]] const WindowSpec* find_window(const std::vector<WindowSpec>& windows, const Arch& arch,
                                            const Parameters& point);

/// Replaces the placeholders in the expectation's opcodes. Error "config" on an unknown one.
[[nodiscard]] Expected<Expectation> resolve(const Expectation& expect, const Parameters& point);

}  // namespace warpclock
