#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "answer/ask/hits.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "plan/plan.hpp"
#include "plan/probe.hpp"

namespace warpclock {
namespace {

/// What is offered where a value of an option or a positional is expected: what bash assigns to its words or kind, and
/// what fish appends to its line.
struct Offer {
  std::string bash = "kind=none", fish;
};

Offer words_of(const std::vector<std::string>& words) {
  return {fmt::format("words=\"{}\"", join(words, " ")), fmt::format(" -x -a '{}'", join(words, " "))};
}

std::vector<std::string> arch_words() {
  std::vector<std::string> words = {"all"};
  for (const int sm : supported_sms()) {
    words.push_back(fmt::format("sm_{}", sm));
    if (sm >= 90) words.push_back(fmt::format("sm_{}a", sm));
  }
  return words;
}

/// The names that `ask` knows: words that are no plain text.
std::vector<std::string> words_to_ask() {
  std::vector<std::string> words;
  const auto& known = known_search_words();
  if (!known) return words;
  for (const Topic& topic : known->topics) {
    for (const std::string& word : topic.words) {
      const bool plain = std::ranges::all_of(
          word, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '.'; });
      if (plain) words.push_back(word);
    }
  }
  sort_once(words);
  return words;
}

/// Prints the ids that a pattern may name.
std::string ids_command(const CLI::App& command) {
  if (command.get_name() == "catalogue")
    return "warpclock catalogue --list 2>/dev/null | sed -n 's|^\\([^ ]*/[^ ]*\\) .*|\\1|p'";
  return "warpclock list --suite all --json 2>/dev/null | sed -n 's/^ *\"probe\": \"\\(.*\\)\",$/\\1/p' | sort -u";
}

/// Read off the type that --help shows.
Offer values_of(const CLI::Option& option, const CLI::App& command) {
  const std::string type = option.get_type_name();
  if (const std::size_t open = type.find('{'); open != std::string::npos)
    return words_of(split(std::string_view(type).substr(open + 1, type.find('}') - open - 1), ','));
  if (type.starts_with("ARCH")) return words_of(arch_words());
  if (type.starts_with("SUITE")) {
    std::vector<std::string> words = suite_names();
    words.emplace_back(every_suite);
    return words_of(words);
  }
  if (type.starts_with("PATTERN")) {
    const std::string ids = ids_command(command);
    return {fmt::format("words=$({})", ids),
            fmt::format(" -x -a '({})'", replace_all(replace_all(ids, "\\", "\\\\"), "'", "\\'"))};
  }
  if (type.starts_with("PROBE")) {
    const std::string probes = "warpclock show --json 2>/dev/null | sed -n 's/.*{\"probe\": \"\\([^\"]*\\)\".*/\\1/p'";
    return {fmt::format("words=$({})", probes),
            fmt::format(" -x -a '({})'", replace_all(replace_all(probes, "\\", "\\\\"), "'", "\\'"))};
  }
  if (type.starts_with("WORDS")) return words_of(words_to_ask());
  if (type.starts_with("GPU"))
    return {"words=$(ls reports 2>/dev/null | grep -v '[.]')", " -x -a '(ls reports 2>/dev/null)'"};
  if (type.starts_with("DIR")) return {"kind=folders", " -x -a '(__fish_complete_directories)'"};
  if (type.starts_with("FILE") || type.starts_with("PATH")) return {"kind=files", " -r -F"};
  return {};
}

/// The branch of a command: by the option before the cursor, by a dash, else for its first positional.
std::string bash_command(const CLI::App& command) {
  std::string text = fmt::format("    {})\n      case \"$previous\" in\n", command.get_name());
  std::string positional = "kind=none";
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional() && option->get_items_expected_max() > 0)
      text += fmt::format("        --{}) {}; return_value=1 ;;\n", option->get_lnames().front(),
                          values_of(*option, command).bash);
    if (!option->nonpositional() && positional == "kind=none") positional = values_of(*option, command).bash;
  }
  return text + fmt::format(
                    "      esac\n"
                    "      [[ -n $return_value ]] || case \"$current\" in\n"
                    "        -*) words=\"{}\" ;;\n"
                    "        *) {} ;;\n"
                    "      esac ;;\n",
                    join(long_options(command), " "), positional);
}

std::string bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string branches;
  for (const CLI::App* command : shown_commands(app)) {
    names.push_back(command->get_name());
    branches += bash_command(*command);
  }
  // A value of several, sm_80,sm_90a, is completed behind its last comma.
  return fmt::format(R"sh(_warpclock() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local words="" kind="words" return_value="" before=""
  if [[ $COMP_CWORD -eq 1 ]]; then
    words="{} --help --version"
  else
    case "${{COMP_WORDS[1]}}" in
{}    esac
  fi
  case $kind in
    none) COMPREPLY=() ;;
    folders) COMPREPLY=($(compgen -d -- "$current")) ;;
    files) COMPREPLY=($(compgen -f -- "$current")) ;;
    *)
      if [[ $current == *,* ]]; then before="${{current%,*}},"; fi
      COMPREPLY=($(compgen -P "$before" -W "$words" -- "${{current##*,}}")) ;;
  esac
}}
complete -o filenames -F _warpclock warpclock
)sh",
                     join(names, " "), branches);
}

std::string fish(const CLI::App& app) {
  std::string out = "complete -c warpclock -f\n";
  for (const CLI::App* command : shown_commands(app)) {
    const std::string name = command->get_name();
    out += fmt::format("complete -c warpclock -n __fish_use_subcommand -a {} -d '{}'\n", name,
                       replace_all(command->get_description(), "'", ""));
    for (const CLI::Option* option : command->get_options()) {
      const bool takes_value = option->get_items_expected_max() > 0;
      const std::string values = takes_value ? values_of(*option, *command).fish : "";
      if (!option->nonpositional() && values.empty()) continue;
      out += fmt::format("complete -c warpclock -n '__fish_seen_subcommand_from {}'{}{} -d '{}'\n", name,
                         option->nonpositional() ? " -l " + option->get_lnames().front() : "", values,
                         replace_all(option->get_description(), "'", ""));
    }
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
  command->footer(
      "Examples:\n"
      "  source <(warpclock completion bash)\n"
      "  warpclock completion fish > ~/.config/fish/completions/warpclock.fish");
  command->callback([shell, &action, &app] {
    action = [shell, &app] {
      fmt::print("{}", script(app, *shell));
      return 0;
    };
  });
}

}  // namespace warpclock
