#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// What decides the rows of a run besides its cases.
struct RunGround {
  const std::map<std::string, std::string>& configs;  ///< text by path
  const std::map<std::string, std::string>& sources;
  const DeviceFacts& device;
  std::string host;
  std::string counters_missing;       ///< why there are no counters; empty if there are
  std::vector<std::string> tools;     ///< identities of compilers and disassemblers
  std::vector<std::string> settings;  ///< what the command line says about how each case is measured
};

/// What must be equal for a row of a stopped run to be taken over: parts by name ("GPU", "configs"), each a hash or a
/// word for people.
using RunKey = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] RunKey run_key(const std::vector<Case>& cases, const RunGround& ground);

}  // namespace warpclock
