#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/gpu_choice.hpp"
#include "cli/options/options.hpp"

namespace warpclock {

struct MachineOptions {
  std::vector<std::string> lines;     ///< machine instructions as nvdisasm prints them
  std::vector<std::string> patterns;  ///< for keys, if there are no lines: a part of the key, or with *
  std::string arch, out, nvdisasm, cache_dir;
  bool list = false, json = false;
  MeasuringOptions measuring = {};
  GpuChoice gpu = {};
};

/// `warpclock cycles --sass`: measures these lines and prints the results; without a GPU, or with --gpu, prints the
/// rows of measured GPUs. Returns the exit status.
[[nodiscard]] Expected<int> machine_cycles(const MachineOptions& options);

/// `warpclock catalogue --sass`: measures every form and writes machine.json.
[[nodiscard]] Expected<int> machine_catalogue(const MachineOptions& options);

}  // namespace warpclock
