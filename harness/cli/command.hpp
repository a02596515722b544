#pragma once

#include <functional>

#include "base/error.hpp"

namespace CLI {
class App;
}

namespace warpclock {

/// Executes the chosen subcommand. Its result is the exit status: 0 all well, 1 something was rejected, refused,
/// failed or differs. An error says why the command could not be carried out, and becomes exit status 2.
using Action = std::function<Expected<int>()>;

// One function for each command, in the order of `warpclock help`. Each adds its options to the program, and sets
// `action` if its command is chosen.
void add_run(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_ask(CLI::App& app, Action& action);
void add_show(CLI::App& app, Action& action);
void add_cycles(CLI::App& app, Action& action);
void add_catalogue(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_execute(CLI::App& app, Action& action);
void add_capture(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_advise(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_gate(CLI::App& app, Action& action);
void add_jit(CLI::App& app, Action& action);
void add_fleet(CLI::App& app, Action& action);
void add_guide(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_worker(CLI::App& app, Action& action);

/// Reads the command line and executes the chosen subcommand; returns the exit status.
int dispatch(int argc, char** argv);

}  // namespace warpclock
