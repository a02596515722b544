#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/report_folder.hpp"
#include "measure/inputs.hpp"
#include "record/assemble.hpp"
#include "record/features.hpp"

namespace warpclock {
namespace {

struct ReplayOptions {
  std::string result;
  std::string out;
};

Expected<int> replay(const ReplayOptions& options) {
  auto recorded = WARPCLOCK_TRY(read_report(options.result));
  Record again = recorded;
  for (CaseRecord& row : again.cases) row = reanalyze(std::move(row));
  again.features = find_features(again);

  std::size_t differing = 0;
  for (std::size_t i = 0; i < again.cases.size(); ++i) {
    if (again.cases[i] == recorded.cases[i]) continue;
    ++differing;
    fmt::print("differs from the record: {}\n", again.cases[i].id);
  }
  if (!options.out.empty()) {
    WARPCLOCK_TRY(write_report(options.out, again));
    fmt::print("wrote {}/report.html\n", options.out);
  }
  const Style style(Stream::Out);
  fmt::print("{} of {} cases give the same row from their recorded samples\n", again.cases.size() - differing,
             again.cases.size());
  return differing == 0 ? 0 : 1;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("replay", "Analyse the recorded samples of a result.json again and render them; needs no GPU");
  auto options = std::make_shared<ReplayOptions>();
  command->add_option("result", options->result, "A result.json")->required()->type_name("FILE");
  command->add_option("--out", options->out, "Folder for the report")->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  warpclock replay reports/nvidia-h200/result.json\n"
      "  warpclock replay reports/nvidia-h200/result.json --out /tmp/again");
  command->callback([options, &action] { action = [options] { return replay(*options); }; });
}

}  // namespace warpclock
