#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// Reads every config: path as errors show it ("configs/shuffle.yaml") -> text. A file named counters.yaml holds the
/// metrics, every other file a family of probes. Checks everything that can be checked without a GPU. The text is
/// foreign input: error "config" at "file:line:column", never a crash.
[[nodiscard]] Expected<Suite> load_suite(const std::map<std::string, std::string>& configs);

}  // namespace warpclock
