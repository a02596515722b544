#include "fleet/fleet.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "fleet/observations.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

struct FleetCommand {
  std::string folder, page, gate, baseline, expect, since;
  double within = 0;  ///< in percent
  bool json = false;
};

Expected<std::optional<Baseline>> read_gate(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const auto text = WARPCLOCK_TRY(read_packed_file(path));
  auto baseline = parse_baseline(text, path);
  if (!baseline) return std::unexpected(with_file_kind(baseline.error(), path, "fleet"));
  return *std::move(baseline);
}

Expected<int> judge_folder(const FleetCommand& command) {
  // What can be wrong with the command is found before thousands of records are read.
  const auto baseline = WARPCLOCK_TRY(read_gate(command.gate));
  for (const std::string& path : {command.page, command.baseline})
    if (!path.empty()) WARPCLOCK_TRY(may_replace(path));
  std::optional<ExpectedGpus> expected;
  if (!command.expect.empty()) expected = WARPCLOCK_TRY(expected_gpus(command.expect));
  auto observations = WARPCLOCK_TRY(read_fleet(command.folder, progress_on_terminal("records"), command.since));
  // It would take the place of one of more GPUs.
  if (!command.baseline.empty() && observations.unread > 0)
    return fail("io",
                fmt::format("no baseline is written: {}",
                            observations.failures.front().path + ": " + observations.failures.front().text),
                command.folder);
  if (expected) std::ranges::move(missed(*expected, observations), std::back_inserter(observations.failures));
  const double within = command.within / 100;
  const Fleet fleet = judge_fleet(observations, within);
  std::optional<GateResult> gate;
  if (baseline) gate = gate_fleet(observations, fleet, *baseline, within);
  if (!command.page.empty()) WARPCLOCK_TRY(write_named(command.page, render_fleet(fleet, gate ? &*gate : nullptr)));
  if (!command.baseline.empty()) WARPCLOCK_TRY(write_named(command.baseline, to_json(baseline_of(fleet))));
  if (command.json) {
    fmt::print("{}", pretty(fleet_json(fleet, gate ? &*gate : nullptr)));
  } else {
    print(fleet_sheet(fleet), {});
    if (gate) print(gate_sheet(fleet, *gate), {});
  }
  const bool passed = gate ? passes(fleet, *gate) : fleet.even();
  return passed ? 0 : 1;
}

}  // namespace

namespace {

/// Empty if it is one.
std::string is_date(const std::string& text) {
  constexpr std::string_view layout = "0000-00-00";
  const bool right = std::ranges::equal(
      text, layout, [](char c, char wanted) { return wanted == '0' ? c >= '0' && c <= '9' : c == wanted; });
  return right ? "" : "a date looks like 2026-11-01";
}

}  // namespace

void add_fleet(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "fleet", "Every row of many GPUs as a distribution, and the GPUs, nodes and SMs that deviate from it");
  auto options = std::make_shared<FleetCommand>();
  add_value(*command, "folder", "DIR", options->folder, "Every result.json.gz and instructions.json.gz in it and below")
      ->required();
  add_value(*command, "--gate", "FILE", options->gate, "Exit with 1 if a GPU differs from this baseline, else with 0");
  add_value(*command, "--write-baseline", "FILE", options->baseline,
            "Write a baseline from these GPUs, to judge others by");
  add_value(*command, "--expect", "GPUS", options->expect,
            "Exit with 1 if there are not so many GPUs, or not those whose UUIDs are in this file");
  add_value(*command, "--since", "DATE", options->since,
            "Leave out records from before, as 2026-11-01; a GPU that has no other has none")
      ->check(is_date);
  add_value(*command, "--within", "PERCENT", options->within, "Ignore deviations up to this percentage of the median")
      ->check(CLI::Range(0.0, 100.0));
  add_value(*command, "--page", "FILE", options->page,
            "Also write a page: a map of the fleet, and each row's distribution");
  command->add_flag("--json", options->json, "Machine-readable, and complete");
  command->footer(
      "Needs no GPU. Examples:\n"
      "  warpclock fleet /shared/fleet --page fleet.html\n"
      "  warpclock fleet /shared/accepted --write-baseline baseline.json\n"
      "  warpclock fleet /shared/new --gate baseline.json --within 1 --expect 64\n"
      "  warpclock fleet /shared/fleet --json | jq -r '.outliers[] | [.gpu, .id, .deviation] | @tsv'\n"
      "Exit status: 0 no GPU deviates from its model (with --gate: from the baseline); 1 some are, a GPU has no "
      "record,\n"
      "or a folder cannot be read; 2 nothing could be read. docs/fleet.md has the statistics.");
  command->callback([options, &action] { action = [options] { return judge_folder(*options); }; });
}

}  // namespace warpclock
