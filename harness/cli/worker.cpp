#include "gpu/worker/worker.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"

namespace warpclock {

// Not for users: the process that owns the CUDA context, started by `run`.
void add_worker(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("worker")->group("");
  const auto no_counters = std::make_shared<bool>(false);
  command->add_flag("--no-counters", *no_counters);
  command->callback([no_counters, &action] { action = [no_counters] { return worker_main(!*no_counters); }; });
}

}  // namespace warpclock
