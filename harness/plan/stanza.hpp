#pragma once

#include <string>
#include <vector>

#include "plan/probe.hpp"
#include "plan/scope.hpp"
#include "plan/yaml.hpp"

namespace warpclock {

/// Reads one entry of a family's `probes:`. Errors go to the node's document.
[[nodiscard]] Probe read_probe(const Node& node, const std::string& family, const std::vector<Metric>& metrics);

/// "smoke", "full"
[[nodiscard]] const std::vector<std::string>& suite_names();

[[nodiscard]] Sweep read_sweep(const Node& node);

/// One window or a list; every point must have one on every architecture that the probe's needs allow, known or not.
[[nodiscard]] std::vector<WindowSpec> read_windows(const Node& node, const Needs& needs, const Scope& scope);

/// Reads `measures`, `facts`, `counters`, `premises` and `chart` into the probe.
void read_reporting(const Fields& fields, const Scope& scope, const std::vector<Metric>& metrics, Probe& probe);

/// Reads a file of metrics.
[[nodiscard]] std::vector<Metric> read_metrics(const Node& root);

}  // namespace warpclock
