#include "cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/inputs.hpp"

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

// Not for users: the process that owns the CUDA context, started by `run`.
void add_worker(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("worker")->group("");
  const auto options = std::make_shared<std::pair<bool, int>>(false, 0);
  command->add_flag("--no-counters", options->first);
  command->add_option("--sms", options->second);
  command->callback(
      [options, &action] { action = [options] { return worker_main(!options->first, options->second); }; });
}

int dispatch(int argc, char** argv) {
  CLI::App app{
      "warpclock: what a GPU does with an instruction or an access, in cycles, with the machine code that was "
      "timed proven and shown"};
  app.name("warpclock");
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 all well; 1 something was rejected, refused, failed or differs; 2 the command could not be "
      "carried out, or answered nothing.\nReports and their meaning: README.md. How probes are written: "
      "probes/README.md.");

  Action action;
  for (const auto add : {add_run,     add_ask,     add_show,       add_cycles, add_catalogue, add_export, add_inspect,
                         add_execute, add_capture, add_predict,    add_advise, add_check,     add_gate,   add_jit,
                         add_fleet,   add_guide,   add_verify,     add_list,   add_report,    add_replay, add_compare,
                         add_schema,  add_doctor,  add_completion, add_worker})
    add(app, action);

  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const auto unknown = unknown_command(app, arguments)) return complain(*unknown);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(wrong_arguments(app, arguments, error));
  }
  const auto status = action();
  return status ? *status : complain(status.error());
}

}  // namespace warpclock
