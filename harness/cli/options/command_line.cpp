#include "cli/options/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string_view>

#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

/// Without control characters, and without memory for another text.
void print_plain(std::string_view text) {
  constexpr char first_printable = ' ', removed = '\x7f';
  for (const char c : text) {
    const bool control = (c >= 0 && c < first_printable) || c == removed;
    std::fputc(control ? '?' : c, stderr);
  }
}

}  // namespace

int guarded(std::span<char* const> command, const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::exception& problem) {
    std::fputs("warpclock: ", stderr);
    print_plain(problem_in(problem));
    std::fputs("; this was the command:", stderr);
    for (const std::string_view argument : command) {
      std::fputc(' ', stderr);
      print_plain(argument);
    }
    std::fputc('\n', stderr);
    return 2;
  }
}

namespace {

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == name) return command;
  return nullptr;
}

/// The value that was probably meant, of CLI11's "--type: f61 not in {f16,bf16}".
std::string value_meant(const std::string& said) {
  constexpr std::string_view list = " not in {";
  constexpr std::size_t longest = 200;
  const std::size_t at = said.rfind(list), colon = said.find(": "), end = said.rfind('}');
  if (at == said.npos || colon >= at || end == said.npos || end < at + list.size()) return "";
  const std::string word = said.substr(colon + 2, at - colon - 2);
  const std::size_t first = at + list.size();
  return word.size() > longest ? "" : did_you_mean(word, split(said.substr(first, end - first), ','));
}

}  // namespace

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  std::vector<const CLI::App*> shown;
  // Hidden commands have no group.
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) shown.push_back(command);
  return shown;
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::optional<Error> unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto names = mapped(shown_commands(app), [](const CLI::App* command) { return command->get_name(); });
  if (arguments.empty()) {
    return Error{"usage", fmt::format("name a command: {}; warpclock --help describes them", join(names, ", ")), {}};
  }
  const std::string& word = arguments.front();
  if (word.starts_with('-') || find_command(app, word) != nullptr) return std::nullopt;
  return Error{"usage", fmt::format("there is no command '{}'{}", word, hint(word, names)), {}};
}

Error wrong_arguments(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::ParseError& error) {
  const std::string name = arguments.empty() ? "" : arguments.front();
  const CLI::App* command = find_command(app, name);
  if (command == nullptr) return {"usage", error.what(), {}};
  for (const std::string& extra : command->remaining()) {
    if (extra.starts_with("--benchmark_")) continue;
    if (!extra.starts_with('-')) return {"usage", fmt::format("{}: '{}' is one argument too many", name, extra), {}};
    const std::string near = did_you_mean(extra.substr(0, extra.find('=')), long_options(*command));
    return {
        "usage", fmt::format("{} has no option '{}'{}; warpclock {} --help lists them", name, extra, near, name), {}};
  }
  return {"usage", fmt::format("{}: {}{}", name, error.what(), value_meant(error.what())), {}};
}

}  // namespace warpclock
