#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answer/ask/probe_sheet.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"

namespace warpclock {
namespace {

struct ShowOptions {
  std::string probe, suite;
  GpuChoice gpu;
  SheetFormat format;
};

/// The sheets of several probes as one: each probe is a table's title.
Sheet joined(std::vector<Sheet> sheets) {
  if (sheets.size() == 1) return std::move(sheets.front());
  Sheet all;
  for (Sheet& sheet : sheets) {
    for (Table& table : sheet.tables) {
      if (table.key != "rows") continue;
      table.key = sheet.title;
      table.title = sheet.title + "  " + sheet.facts.front().says.text;
      all.tables.push_back(std::move(table));
    }
    for (std::string& note : sheet.notes) all.notes.push_back(sheet.title + ", " + note);
  }
  return all;
}

Expected<int> show(const ShowOptions& options) {
  ProbeChoice choice;
  if (!options.probe.empty()) choice = WARPCLOCK_TRY(parse_probe_choice(options.probe));
  const auto reports = WARPCLOCK_TRY(chosen_reports(options.gpu));
  const auto gpus = reported_gpus(reports);
  const ProbeBook book(gpus, options.suite);
  if (book.names().empty())
    return fail("filter", options.suite.empty() ? "these reports have no rows of probes"
                                                : "these reports have no suite '" + options.suite + "'");
  if (options.probe.empty()) {
    print(probe_list(book, book.names()), options.format);
    return 0;
  }
  const auto probes = WARPCLOCK_TRY(chosen_probes(book, choice.name));
  const bool is_family = probes.size() > 1 && choice.with.empty() && !choice.name.contains('*');
  if (is_family) {
    print(probe_list(book, probes), options.format);
    return 0;
  }
  std::vector<Sheet> sheets;
  Error why;
  for (const std::string& probe : probes) {
    auto sheet = probe_sheet(book, probe, choice);
    if (sheet)
      sheets.push_back(*std::move(sheet));
    else
      why = sheet.error();
  }
  if (sheets.empty()) return std::unexpected(why);
  print(joined(std::move(sheets)), options.format);
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("show", "Print what the records have of a probe, with all GPUs side by side");
  auto options = std::make_shared<ShowOptions>();
  add_value(*command, "probe", "PROBE", options->probe,
            "A probe, a part of its name, a pattern with *, or a case with some of its parameters; without it, all "
            "probes with their answers");
  add_value(*command, "--suite", "SUITE", options->suite,
            "Rows of this suite; without it, of the one with most rows of the probe");
  add_reports_options(*command, options->gpu);
  options->format.add_options(*command, true);
  command->footer(
      "Examples:\n"
      "  warpclock show synchronization/bar\n"
      "  warpclock show 'bandwidth/shared_read[warps=32]' --gpu h100,h200\n"
      "  warpclock show geometry                      # the probes of a topic\n"
      "  warpclock show 'wgmma/*' --csv\n"
      "  warpclock show clusters/load --json | jq '.rows[] | .\"latency.h200\"'\n"
      "Links are pages below the folder of reports. `warpclock ask WORDS` finds the row that answers a question.");
  command->callback([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace warpclock
