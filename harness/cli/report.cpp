#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/paths.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/report_folder.hpp"
#include "report/gallery.hpp"

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
  if (!same) fmt::print("{} is not what its result.json renders to\n", path.string());
  return same;
}

int report(const ReportOptions& options) {
  const std::filesystem::path folder = options.folder;
  auto records = read_reports(folder);
  if (!records) return complain(records.error());
  bool all_same = true;
  for (const auto& [slug, record] : *records)
    for (const auto& [name, text] : report_files(record)) {
      auto same = settle(folder / slug / name, text, options.check);
      if (!same) return complain(same.error());
      all_same = all_same && *same;
    }
  for (const auto& [slug, record] : *records) {
    const auto file = folder / slug / "instructions.json";
    if (std::error_code error; !std::filesystem::exists(file, error)) continue;
    auto table = read_instructions(file);
    if (!table) return complain(table.error());
    for (const auto& [name, text] : instruction_files(*table)) {
      auto same = settle(folder / slug / name, text, options.check);
      if (!same) return complain(same.error());
      all_same = all_same && *same;
    }
  }
  auto same = settle(folder / "README.md", render_gallery(*records), options.check);
  if (!same) return complain(same.error());
  all_same = all_same && *same;
  if (options.check && all_same) fmt::print("{} reports render to what is committed\n", records->size());
  return all_same ? 0 : 1;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("report", "Render every report and the table of all GPUs from the result.json files");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("folder", options->folder, "The reports")->capture_default_str()->type_name("DIR");
  command->add_flag("--check", options->check, "Write nothing; exit 1 when a file is not what would be written");
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace warpclock
