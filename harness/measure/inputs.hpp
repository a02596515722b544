#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/sources.hpp"
#include "plan/arch.hpp"
#include "plan/probe.hpp"

namespace CLI {
class App;
}

namespace warpclock {

/// Which probes a command works on. Empty folders mean what the program carries.
struct Selection {
  std::string probes_dir, configs_dir;
  std::string suite = "full";
  std::vector<std::string> patterns;

  void add_options(CLI::App& command);
};

struct Inputs {
  Suite suite;
  Sources sources;
};

/// Every config of a folder, or (empty) those that the program carries, by the path that errors show. Error "io".
[[nodiscard]] Expected<std::map<std::string, std::string>> read_configs(const std::string& folder);

/// Reads and checks every config and probe of the selection.
[[nodiscard]] Expected<Inputs> load_inputs(const Selection& selection);

/// "sm_80,sm_90a" or "all" (the four that every probe is verified on).
[[nodiscard]] Expected<std::vector<Arch>> parse_archs(const std::string& text);

/// Prints "warpclock: <message>" on stderr and gives exit status 2.
int complain(const Error& error);

}  // namespace warpclock
