#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "measure/case_counts.hpp"
#include "measure/inputs.hpp"
#include "model/measured.hpp"

namespace warpclock {
namespace {

struct ListOptions {
  Selection selection;
  std::string arch = "sm_90a";
  bool counts = false;
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

/// How long a run of a suite takes for each of its cases, in seconds: the mean over the GPUs with a record of it.
struct Pace {
  double seconds = 0;
  std::size_t cases = 0;
};

Expected<std::map<std::string, Pace>> paces(const std::vector<std::string>& suites) {
  std::map<std::string, Pace> all;
  const auto reports = find_reports("");
  if (!reports) return all;
  const auto gpus = WARPCLOCK_TRY(measured_gpus(*reports));
  for (const std::string& gpu : gpus) {
    const MeasuredGpu measured = WARPCLOCK_TRY(read_measured_gpu(*reports, gpu));
    for (const std::string& suite : suites) {
      const auto record = measured.results.find(suite == "full" ? "result.json" : suite + "/result.json");
      if (record == measured.results.end()) continue;
      all[suite].seconds += record->second.provenance.duration_s;
      all[suite].cases += record->second.rows.size();
    }
  }
  return all;
}

Expected<Sheet> counts_sheet(const Inputs& inputs, const Selection& selection, const std::vector<Arch>& archs) {
  const CaseCounts counts = WARPCLOCK_TRY(count_cases(inputs, selection, archs));
  const auto pace = WARPCLOCK_TRY(paces(named_suites(selection.suite)));
  Sheet sheet;
  Table table{.key = "counts", .title = "", .columns = columns({"arch", "suite", "#cases", "#lacking", "#seconds"})};
  for (const ArchCount& here : counts.archs) {
    for (const SuiteCount& suite : here.suites) {
      const auto known = pace.find(suite.suite);
      Cell seconds;
      if (known != pace.end() && known->second.cases > 0) {
        const double takes =
            known->second.seconds / static_cast<double>(known->second.cases) * static_cast<double>(suite.cases);
        seconds = {fmt::format("{:.0f}", takes), Json(takes)};
      }
      table.rows.push_back({to_string(here.arch), suite.suite, Cell(std::to_string(suite.cases), suite.cases),
                            Cell(std::to_string(suite.lacking), suite.lacking), seconds});
    }
  }
  sheet.tables.push_back(std::move(table));
  Table lacks{
      .key = "lacks", .title = "what is lacking", .columns = columns({"why", "archs", "#cases"}), .headed = false};
  for (const Lack& lack : counts.lacks) {
    std::vector<std::string> without;
    for (std::size_t i = 0; i < archs.size(); ++i)
      if (lack.cases[i] > 0) without.push_back(to_string(archs[i]));
    const std::size_t most = *std::ranges::max_element(lack.cases);
    lacks.rows.push_back({lack.why, join(without, ", "), Cell(std::to_string(most), most)});
  }
  if (!lacks.rows.empty()) sheet.tables.push_back(std::move(lacks));
  sheet.notes = {"seconds: at the mean pace of the GPUs with a record of the suite; a suite without one has none",
                 "nothing of this is measured here: on such a GPU, ./bootstrap run --suite SUITE measures it"};
  return sheet;
}

Expected<int> list(const ListOptions& options) {
  auto inputs = WARPCLOCK_TRY(load_inputs(options.selection));
  auto archs = WARPCLOCK_TRY(named_archs(options.arch));
  if (options.counts) {
    print(WARPCLOCK_TRY(counts_sheet(inputs, options.selection, archs)), options.format);
    return 0;
  }
  const auto cases = WARPCLOCK_TRY(planned(inputs, options.selection, archs));
  print(list_sheet(inputs.suite, cases), options.format);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "Show the probes and the cases that a run would take");
  auto options = std::make_shared<ListOptions>();
  add_selection(*command, options->selection);
  add_arch_option(*command, options->arch, "Architectures, or GPUs such as B300, or all")->capture_default_str();
  command->add_flag("--counts", options->counts,
                    "How many cases of each suite an architecture has, what it lacks, and how long a run takes");
  options->format.add_options(*command, true);
  command->footer(
      "Examples:\n"
      "  warpclock list --suite quick\n"
      "  warpclock list --counts --suite full,memory,kernels --arch B300\n"
      "  warpclock list --suite all --json 'wgmma/*' | jq -r '.cases[].id'");
  command->callback([options, &action] { action = [options] { return list(*options); }; });
}

}  // namespace warpclock
