#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/command_line.hpp"

namespace warpclock {
namespace {

std::string bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : shown_commands(app)) {
    names.push_back(command->get_name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), join(long_options(*command), " "));
  }
  return fmt::format(R"sh(_warpclock() {{
  local words current="${{COMP_WORDS[COMP_CWORD]}}"
  case "${{COMP_WORDS[1]}}" in
{}    *) words="{} --help --version" ;;
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then words="{} --help --version"; fi
  if [[ $COMP_CWORD -gt 1 && $current != -* ]]; then
    local ids; ids=$(warpclock list --json 2>/dev/null | sed -n 's/^ *"probe": "\(.*\)",$/\1/p' | sort -u)
    COMPREPLY=($(compgen -W "$ids" -- "$current") $(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -F _warpclock warpclock
)sh",
                     cases, join(names, " "), join(names, " "));
}

std::string fish(const CLI::App& app) {
  std::string out = "complete -c warpclock -f\n";
  for (const CLI::App* command : shown_commands(app)) {
    out += fmt::format("complete -c warpclock -n __fish_use_subcommand -a {} -d '{}'\n", command->get_name(),
                       replace_all(command->get_description(), "'", ""));
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames())
        out += fmt::format("complete -c warpclock -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                           command->get_name(), name, replace_all(option->get_description(), "'", ""));
  }
  return out;
}

std::string script(const CLI::App& app, const std::string& shell) {
  if (shell == "fish") return fish(app);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash(app);
  return bash(app);
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("completion", "Print a completion script: source <(warpclock completion bash)");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &action, &app] {
    action = [shell, &app] {
      fmt::print("{}", script(app, *shell));
      return 0;
    };
  });
}

}  // namespace warpclock
