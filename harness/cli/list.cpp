#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "measure/inputs.hpp"

namespace warpclock {
namespace {

struct ListOptions {
  Selection selection;
  std::string arch = "sm_90a";
  SheetFormat format;
};

Sheet list_sheet(const Suite& suite, const std::vector<Case>& cases) {
  Sheet sheet;
  for (const Probe& probe : suite.probes) {
    const std::string name = probe.family + "/" + probe.name;
    Table table{.key = "cases",
                .title = name + "  " + probe.asks,
                .columns = columns({"id", "-probe", "-arch", "-parameters", "-kernel", "skipped"}),
                .headed = false};
    for (const Case& one : cases) {
      if (one.probe != name) continue;
      Json parameters = Json::object();
      for (const auto& [parameter, value] : one.parameters)
        std::visit([&, &key = parameter](const auto& v) { parameters[key] = v; }, value);
      const Cell skipped = one.skip ? Cell("skipped: " + one.skip->text, one.skip->text) : Cell();
      table.rows.push_back({one.id, one.probe, to_string(one.arch), {"", parameters}, one.kernel, skipped});
    }
    if (!table.rows.empty()) sheet.tables.push_back(std::move(table));
  }
  sheet.notes = {counted(std::ssize(cases), "case")};
  return sheet;
}

Expected<int> list(const ListOptions& options) {
  auto inputs = WARPCLOCK_TRY(load_inputs(options.selection));
  auto archs = WARPCLOCK_TRY(named_archs(options.arch));
  const auto cases = WARPCLOCK_TRY(planned(inputs, options.selection, archs));
  print(list_sheet(inputs.suite, cases), options.format);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "Show the probes and the cases that a run would take");
  auto options = std::make_shared<ListOptions>();
  add_selection(*command, options->selection);
  add_arch_option(*command, options->arch, "Architectures, or all")->capture_default_str();
  options->format.add_options(*command, true);
  command->footer(
      "Examples:\n"
      "  warpclock list --suite quick\n"
      "  warpclock list --suite all --json 'wgmma/*' | jq -r '.cases[].id'");
  command->callback([options, &action] { action = [options] { return list(*options); }; });
}

}  // namespace warpclock
