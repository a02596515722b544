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

}  // namespace warpclock
