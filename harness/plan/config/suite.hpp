#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// Reads every config: path as errors show it ("configs/shuffle.yaml") -> text. A file named counters.yaml holds the
/// metrics, every other one a family of probes. Checks all that can be checked with no GPU. Foreign input: error
/// "config" at "file:line:column", never a crash.
[[nodiscard]] Expected<Suite> load_suite(const std::map<std::string, std::string>& configs);

}  // namespace warpclock
