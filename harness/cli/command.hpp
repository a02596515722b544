#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace warpclock {

/// The status of `work`, which is what this command line asks for. If an exception ends it, says so on standard error,
/// with the command, and gives 2.
[[nodiscard]] int guarded(std::span<char* const> command, const std::function<int()>& work);

/// The commands that a person calls, in the order of --help.
[[nodiscard]] std::vector<const CLI::App*> shown_commands(const CLI::App& app);

/// "--json", ...
[[nodiscard]] std::vector<std::string> long_options(const CLI::App& command);

/// Error "usage" if the first argument is neither a command nor an option of the program.
[[nodiscard]] std::optional<Error> unknown_command(const CLI::App& app, const std::vector<std::string>& arguments);

/// What is wrong with the arguments of a command, with the option that was probably meant.
[[nodiscard]] Error wrong_arguments(const CLI::App& app, const std::vector<std::string>& arguments,
                                    const CLI::ParseError& error);

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
