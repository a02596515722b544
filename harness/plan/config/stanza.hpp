#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/config/scope.hpp"
#include "plan/config/yaml.hpp"
#include "plan/probe.hpp"

namespace warpclock {

enum class Why { Required, Optional };

/// Reads `{min: sm_80, only: [sm_90a], why: ...}`: min, only or both, and the reason.
[[nodiscard]] Needs read_needs(const Node& node, Why why = Why::Required);

[[nodiscard]] Sweep read_sweep(const Node& node);

[[nodiscard]] LaunchSpec read_launch(const Node& node, const Scope& scope);
[[nodiscard]] DataSpec read_data(const Node& node, const Scope& scope);

/// `archs: [sm_90a, sm_100a]`
[[nodiscard]] std::vector<Arch> read_archs(const Node& node);

/// Reads one window or a list. Every point must have one on every architecture that the probe's needs allow, known or
/// not.
[[nodiscard]] std::vector<WindowSpec> read_windows(const Node& node, const Needs& needs, const Scope& scope);

/// Reads `measures`, `facts`, `counters`, `premises` and `chart` into the probe.
void read_reporting(const Fields& fields, const Scope& scope, const std::vector<Metric>& metrics, Probe& probe);

/// Reads a file of metrics.
[[nodiscard]] std::vector<Metric> read_metrics(const Node& root);

/// Reads every config: path as errors show it ("configs/shuffle.yaml") -> text. A file named counters.yaml holds the
/// metrics, every other file a family of probes. Checks everything that can be checked without a GPU. The text is
/// foreign input: error "config" at "file:line:column", never a crash.
[[nodiscard]] Expected<Suite> load_suite(const std::map<std::string, std::string>& configs);

}  // namespace warpclock
