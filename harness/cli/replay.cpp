#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "answer/numbers/answer.hpp"
#include "base/escape.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "model/measured.hpp"
#include "record/assemble.hpp"
#include "record/features.hpp"

namespace warpclock {
namespace {

struct ReplayOptions {
  std::string result;
  std::string out;
  bool json = false;
};

Expected<int> replay(const ReplayOptions& options) {
  const auto recorded = read_record(options.result);
  if (!recorded) return std::unexpected(with_file_kind(recorded.error(), options.result, "replay"));
  Record again = *recorded;
  for (Row& row : again.rows) row = reanalyze(std::move(row));
  again.features = find_features(again);
  again = finished(std::move(again));

  std::vector<std::string> differing;
  for (std::size_t i = 0; i < again.rows.size(); ++i) {
    if (again.rows[i] == recorded->rows[i]) continue;
    differing.push_back(again.rows[i].id);
    if (!options.json) fmt::print("differs from the record: {}\n", printable(again.rows[i].id));
  }
  if (!options.out.empty()) {
    const auto lock = WARPCLOCK_TRY(claim(options.out));
    WARPCLOCK_TRY(write_record(options.out, again));
    if (!options.json) fmt::print("wrote {}/report.html\n", printable(options.out));
  }
  if (options.json) {
    const nlohmann::ordered_json all = {{"cases", again.rows.size()}, {"differing", differing}};
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print("{} of {} give the same row from their recorded samples\n", again.rows.size() - differing.size(),
               counted(std::ssize(again.rows), "case"));
  }
  return differing.empty() ? 0 : 1;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("replay", "Analyse the recorded samples of a result.json again and render them; needs no GPU");
  auto options = std::make_shared<ReplayOptions>();
  add_value(*command, "result", "FILE", options->result, "A result.json")->required();
  add_value(*command, "--out", "DIR", options->out, "Folder for the report");
  command->add_flag("--json", options->json, "Machine-readable");
  command->footer(
      "Examples:\n"
      "  warpclock replay reports/nvidia-h200/result.json\n"
      "  warpclock replay reports/nvidia-h200/result.json --out /tmp/again");
  command->callback([options, &action] { action = [options] { return replay(*options); }; });
}

}  // namespace warpclock
