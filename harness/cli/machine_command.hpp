#pragma once

#include <string>
#include <vector>

namespace warpclock {

struct MachineOptions {
  std::vector<std::string> lines;     ///< machine instructions as nvdisasm prints them
  std::vector<std::string> patterns;  ///< of keys, where there are no lines: part of one, or with *
  std::string arch, out, nvdisasm;
  bool list = false, exclusive = false;
};

/// `warpclock cycles --sass`: measures these lines and prints what was found. Exit status.
[[nodiscard]] int machine_cycles(const MachineOptions& options);

/// `warpclock catalogue --sass`: measures every form and writes machine.json.
[[nodiscard]] int machine_catalogue(const MachineOptions& options);

}  // namespace warpclock
