#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "measure/inputs.hpp"

namespace warpclock {
namespace {

struct ListOptions {
  Selection selection;
  std::string arch = "sm_90a";
  bool json = false;
};

void print_text(const Suite& suite, const std::vector<Case>& cases) {
  const Style style(Stream::Out);
  for (const Probe& probe : suite.probes) {
    const std::string name = probe.family + "/" + probe.name;
    bool titled = false;
    for (const Case& one : cases) {
      if (one.probe != name) continue;
      if (!titled) fmt::print("{}  {}\n", style.bold(name), style.dim(probe.asks));
      titled = true;
      fmt::print("  {}{}\n", one.id, one.skip ? style.yellow("  skipped: " + one.skip->text) : "");
    }
  }
  fmt::print("{}\n", counted(std::ssize(cases), "case"));
}

void print_json(const std::vector<Case>& cases) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Case& one : cases) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    for (const auto& [name, value] : one.parameters)
      std::visit([&, &key = name](const auto& v) { parameters[key] = v; }, value);
    nlohmann::ordered_json row = {{"id", one.id},
                                  {"probe", one.probe},
                                  {"arch", to_string(one.arch)},
                                  {"parameters", parameters},
                                  {"kernel", one.kernel}};
    if (one.skip) row["skipped"] = one.skip->text;
    out.push_back(std::move(row));
  }
  fmt::print("{}\n", out.dump(2));
}

Expected<int> list(const ListOptions& options) {
  auto inputs = WARPCLOCK_TRY(load_inputs(options.selection));
  auto archs = WARPCLOCK_TRY(named_archs(options.arch));
  const auto cases = WARPCLOCK_TRY(planned(inputs, options.selection, archs));
  options.json ? print_json(cases) : print_text(inputs.suite, cases);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "Show the probes and the cases that a run would take");
  auto options = std::make_shared<ListOptions>();
  options->selection.add_options(*command);
  add_arch_option(*command, options->arch, "Architectures, or all")->capture_default_str();
  command->add_flag("--json", options->json, "Machine-readable");
  command->footer(
      "Examples:\n"
      "  warpclock list --suite quick\n"
      "  warpclock list --suite all --json 'wgmma/*'");
  command->callback([options, &action] { action = [options] { return list(*options); }; });
}

}  // namespace warpclock
