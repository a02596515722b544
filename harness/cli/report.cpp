#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/paths.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/report_folder.hpp"

namespace warpclock {
namespace {

struct ReportOptions {
  std::string folder = "reports";
  bool check = false;
};

// Writes the file, or (to check) says whether it is what would be written.
Expected<bool> settle(const std::filesystem::path& path, const std::string& text, bool check) {
  if (!check) {
    if (auto written = write_file_atomically(path, text); !written) return std::unexpected(written.error());
    fmt::print("wrote {}\n", path.string());
    return true;
  }
  const auto now = read_file(path);
  const bool same = now && *now == text;
  if (!same) fmt::print("{} is not what its data render to\n", path.string());
  return same;
}

int report(const ReportOptions& options) {
  const std::filesystem::path folder = options.folder;
  const auto records = read_reports(folder);
  if (!records) return complain(records.error());
  const auto tables = read_all_instructions(folder);
  if (!tables) return complain(tables.error());
  bool all_same = true;
  const auto settle_all = [&](const std::filesystem::path& place, const ReportFiles& files) -> Expected<void> {
    for (const auto& [name, text] : files) {
      const auto same = settle(place / name, text, options.check);
      if (!same) return std::unexpected(same.error());
      all_same = all_same && *same;
    }
    return {};
  };
  for (const auto& [slug, record] : *records) {
    const auto settled = settle_all(folder / slug, report_files(record, pages_of(folder / slug)));
    if (!settled) return complain(settled.error());
  }
  for (const auto& [slug, table] : *tables) {
    const auto settled = settle_all(folder / slug, instruction_files(table, pages_of(folder / slug)));
    if (!settled) return complain(settled.error());
  }
  const auto settled = settle_all(folder, gallery_files(*records, *tables));
  if (!settled) return complain(settled.error());
  if (options.check && all_same)
    fmt::print("the pages of {} folders are what is committed\n", std::max(records->size(), tables->size()));
  return all_same ? 0 : 1;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "report", "Render every report and the table of all GPUs from the result.json and instructions.json files");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("folder", options->folder, "The reports")->capture_default_str()->type_name("DIR");
  command->add_flag("--check", options->check, "Write nothing; exit 1 when a file is not what would be written");
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace warpclock
