#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/gpu_choice.hpp"

namespace warpclock {

/// `warpclock execute --verify`.
struct FormCheckOptions {
  std::vector<std::string> patterns;  ///< of forms; none: all
  GpuChoice gpu;
  std::string out, cache, nvdisasm;
  bool json = false, quiet = false, exclusive = false;
};

/// --verify, and the options that only it has.
void add_form_check_options(CLI::App& command, bool& verify, FormCheckOptions& options);

/// Compares what the executor computes of each form with what a GPU did: the GPU of this machine, or the record of the
/// chosen one. Returns the exit status: 1 if one differs.
[[nodiscard]] Expected<int> check_forms(const FormCheckOptions& options);

}  // namespace warpclock
