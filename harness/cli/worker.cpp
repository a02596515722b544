#include "gpu/worker/worker.hpp"

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace warpclock {

// Not for users: the process that owns the CUDA context, started by `run`.
void add_worker(CLI::App& app, Action& action) {
  app.add_subcommand("worker")->group("")->callback([&action] { action = [] { return worker_main(); }; });
}

}  // namespace warpclock
