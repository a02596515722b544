#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/sources.hpp"
#include "plan/plan.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// The probes that a command works on. An empty folder means those that the program carries.
struct Selection {
  std::string probes_dir, configs_dir;
  std::string suite = "full";
  std::vector<std::string> patterns;
};

struct Inputs {
  Suite suite;
  Sources sources;
  std::map<std::string, std::string> configs = {};  ///< of which `suite` was made, by path
};

/// Every config in a folder, by the path that errors show; for an empty `folder`, those that the program carries. Error
/// "io".
[[nodiscard]] Expected<std::map<std::string, std::string>> read_configs(const std::string& folder);

/// Reads and checks every config and probe of the selection.
[[nodiscard]] Expected<Inputs> load_inputs(const Selection& selection);

/// The cases of the selection on each architecture. If no case matches, and the probes are the user's but the configs
/// those of the program, the error says so.
[[nodiscard]] Expected<std::vector<Case>> planned(const Inputs& inputs, const Selection& selection,
                                                  const std::vector<Arch>& archs);

/// Prints "warpclock: <message>" to stderr, escaped and cut if it is long, and returns exit status 2.
int complain(const Error& error);

/// "family/probe: 'mode' changes nothing ...": each parameter whose macro neither the kernel nor what it includes
/// names, and over whose values all cases of a probe have the same launch and data.
[[nodiscard]] std::vector<std::string> unused_parameters(const std::vector<Case>& cases, const Sources& sources);

}  // namespace warpclock
