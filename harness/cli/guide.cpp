#include "ptx/catalogue/guide.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "measure/inputs.hpp"
#include "report/instructions/instruction_guide.hpp"

namespace warpclock {
namespace {

struct GuideOptions {
  std::string file, configs_dir;
  bool json = false;
};

void print(const GuideRowLines& row) {
  fmt::print("{}\n", row.name);
  for (const GuideLine* line : row.lines) {
    const GuideCells cells = guide_cells(*line);
    fmt::print("  {:<22} {:>8} {:>16}  {:>6}  {:<24} {}\n", line->operation, cells.documented, cells.measured,
               cells.ratio, cells.verdict, line->id);
  }
  if (const std::string note = guide_note(row); !note.empty()) fmt::print("    {}\n", note);
}

void print_json(const GuideComparison& comparison) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const GuideLine& line : comparison.lines) {
    nlohmann::ordered_json one = {{"row", line.row}, {"operation", line.operation}, {"instruction", line.id}};
    if (line.documented > 0) one["documented"] = line.documented;
    if (line.measured > 0) one["measured"] = line.measured;
    if (line.ratio > 0) one["ratio"] = line.ratio;
    one["verdict"] = line.verdict;
    if (!line.why.empty()) one["why"] = line.why;
    lines.push_back(std::move(one));
  }
  const nlohmann::ordered_json all = {
      {"title", comparison.title}, {"summary", guide_summary(comparison)}, {"lines", lines}};
  fmt::print("{}\n", all.dump(2));
}

Expected<int> guide(const GuideOptions& options) {
  const auto configs = WARPCLOCK_TRY(read_configs(options.configs_dir));
  const auto known = WARPCLOCK_TRY(load_guide(configs));
  const auto table = read_instructions(options.file);
  if (!table) return std::unexpected(with_file_kind(table.error(), options.file, "guide"));
  const GuideComparison comparison = compare_with_guide(known, *table);
  if (comparison.title.empty()) return fail("config", "there is no instructions/guide.yaml");
  const auto rows = guide_rows(comparison);
  if (options.json) {
    print_json(comparison);
  } else if (!rows.empty()) {
    fmt::print("  {:<22} {:>8} {:>16}  {:>6}  {:<24} {}\n", "operation", "NVIDIA's", "measured", "ratio", "verdict",
               "instruction");
  }
  if (!options.json) {
    for (const GuideRowLines& row : rows) print(row);
    fmt::print("{}: {}\n", comparison.title, guide_summary(comparison));
  }
  const auto below = [](const GuideLine& line) { return line.verdict == "below" && line.why.empty(); };
  return std::ranges::any_of(comparison.lines, below) || rows.empty() ? 1 : 0;
}

}  // namespace

void add_guide(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "guide", "Compare the rates of an instruction table with the results per clock and SM that NVIDIA documents");
  auto options = std::make_shared<GuideOptions>();
  add_value(*command, "file", "FILE", options->file, "An instructions.json")->required();
  add_value(*command, "--configs", "DIR", options->configs_dir,
            "Folder with instructions/guide.yaml instead of the one built in");
  command->add_flag("--json", options->json, "Machine-readable");
  command->footer(
      "Examples:\n"
      "  warpclock guide reports/nvidia-h200/instructions.json");
  command->callback([options, &action] { action = [options] { return guide(*options); }; });
}

}  // namespace warpclock
