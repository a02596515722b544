#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

struct ProcessOptions {
  std::string input;                     ///< what the child reads on stdin; empty is end of file at once
  std::chrono::milliseconds timeout{0};  ///< the child is killed after that; 0 waits for ever
};

struct ProcessResult {
  int exit_code = 0;     ///< 0..255; 128 + signal when a signal ended it, as shells say it
  int signal = 0;        ///< the signal that ended it, or 0
  std::string out, err;  ///< all it wrote
};

/// Runs a program from its argument vector, without a shell, and waits for its end. `argv[0]` is a path, or a name that
/// PATH knows. Safe to call from several threads. A non-zero exit is a result, not an error. Errors: "process" (it
/// could not be started), "timeout".
[[nodiscard]] Expected<ProcessResult> run_process(const std::vector<std::string>& argv,
                                                  const ProcessOptions& options = {});

}  // namespace warpclock
