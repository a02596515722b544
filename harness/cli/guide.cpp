#include "ptx/catalogue/guide.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "measure/inputs.hpp"

namespace warpclock {
namespace {

struct GuideOptions {
  std::string file, configs_dir;
  SheetFormat format;
};

std::vector<Cell> cells_of(const GuideLine& line) {
  const GuideCells cells = guide_cells(line);
  const auto number = [](const std::string& text, double value) { return value > 0 ? Cell(text, value) : Cell(text); };
  return {line.row,
          line.operation,
          {cells.documented, line.documented > 0 ? Json(line.documented) : Json(Json::value_t::discarded)},
          number(cells.measured, line.measured),
          number(cells.ratio, line.ratio),
          {cells.verdict, line.verdict},
          line.id,
          line.why};
}

Sheet guide_sheet(const GuideComparison& comparison) {
  Sheet sheet;
  sheet.title = comparison.title;
  sheet.facts = {{"summary", "", guide_summary(comparison)}};
  for (const GuideRowLines& row : guide_rows(comparison)) {
    sheet.tables.push_back({.key = "lines",
                            .title = row.name,
                            .columns = columns({"-row", "operation", "#documented|NVIDIA's", "#measured", "#ratio",
                                                "verdict", "instruction", "-why"})});
    Table& table = sheet.tables.back();
    table.headed = sheet.tables.size() == 1;
    for (const GuideLine* line : row.lines) table.rows.push_back(cells_of(*line));
    if (const std::string note = guide_note(row); !note.empty()) table.notes.push_back(note);
  }
  return sheet;
}

Expected<int> guide(const GuideOptions& options) {
  const auto configs = WARPCLOCK_TRY(read_configs(options.configs_dir));
  const auto known = WARPCLOCK_TRY(load_guide(configs));
  const auto table = read_record(options.file, {{RecordFile::Instructions}});
  if (!table) return std::unexpected(with_file_kind(table.error(), options.file, "guide"));
  const GuideComparison comparison = compare_with_guide(known, *table);
  if (comparison.title.empty()) return fail("config", "there is no instructions/guide.yaml");
  print(guide_sheet(comparison), options.format);
  const auto below = [](const GuideLine& line) { return line.verdict == "below" && line.why.empty(); };
  return std::ranges::any_of(comparison.lines, below) || comparison.lines.empty() ? 1 : 0;
}

}  // namespace

void add_guide(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "guide", "Compare the rates of an instruction table with the results per clock and SM that NVIDIA documents");
  auto options = std::make_shared<GuideOptions>();
  add_value(*command, "file", "FILE", options->file, "An instructions.json")->required();
  add_value(*command, "--configs", "DIR", options->configs_dir,
            "Folder with instructions/guide.yaml instead of the one built in");
  options->format.add_options(*command, true);
  command->footer(
      "Examples:\n"
      "  warpclock guide reports/nvidia-h200/instructions.json");
  command->callback([options, &action] { action = [options] { return guide(*options); }; });
}

}  // namespace warpclock
