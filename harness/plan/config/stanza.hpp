#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "plan/config/scope.hpp"
#include "plan/probe.hpp"

namespace warpclock {

enum class Why { Required, Optional };

/// `{min: sm_80, only: [sm_90a], why: ...}`: min, only or both, and the reason.
void describe(YamlArchive& a, Needs& v, Why why);

/// Every key but points, where and except is an axis.
void describe(YamlArchive& a, Sweep& v);

void describe(YamlArchive& a, LaunchSpec& v, const Scope& scope);
void describe(YamlArchive& a, DataSpec& v, const Scope& scope);
void describe(YamlArchive& a, WindowSpec& v, const Scope& scope);

/// Rejects windows of which a point finds none on an architecture that the probe's needs allow, known or not, and
/// those that no point finds.
void check_windows(const Node& node, const std::vector<WindowSpec>& windows, const Needs& needs, const Scope& scope);

/// `facts`, `counters`, `measures`, `premises` and what goes with them.
void describe_reporting(YamlArchive& a, Probe& v, const Scope& scope, const std::vector<Metric>& metrics);

/// counters.yaml.
struct MetricsFile {
  std::vector<Metric> metrics;
};

void describe(YamlArchive& a, MetricsFile& v);

/// Adds the points of a sweep to those of the sweeps before it in its file, and reports where they are too many.
void count_points(const YamlArchive& a, std::size_t points, std::size_t& of_file);

/// A family of probes.
struct FamilyFile {
  std::string family;
  std::vector<Probe> probes;
};

void describe(YamlArchive& a, FamilyFile& v, const std::vector<Metric>& metrics);

/// Reads every config: path as errors show it ("configs/shuffle.yaml") -> text. A file named counters.yaml holds the
/// metrics, every other file a family of probes. Checks everything that can be checked without a GPU. The text is
/// foreign input: error "config" at "file:line:column", never a crash.
[[nodiscard]] Expected<Suite> load_suite(const std::map<std::string, std::string>& configs);

}  // namespace warpclock
