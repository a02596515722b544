#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

struct ProcessOptions {
  std::string input;                     ///< what the child reads from stdin; if empty, it reads end of file at once
  std::chrono::milliseconds timeout{0};  ///< the child is killed after this time; 0 waits forever
};

struct ProcessResult {
  int exit_code = 0;     ///< 0..255; 128 + signal if a signal ended the child, as in shells
  int signal = 0;        ///< the signal that ended the child, or 0
  std::string out, err;  ///< everything it wrote
};

/// Runs a program from its argument vector, without a shell, and waits until it exits. `argv[0]` is a path or a name in
/// PATH. Safe to call from several threads. A non-zero exit is a result, not an error. Errors: "process" (the program
/// could not be started), "timeout".
[[nodiscard]] Expected<ProcessResult> run_process(const std::vector<std::string>& argv,
                                                  const ProcessOptions& options = {});

}  // namespace warpclock
