#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/marked.hpp"
#include "base/paths.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/report_folder.hpp"

namespace warpclock {
namespace {

struct ReportOptions {
  std::string folder = "reports";
  bool check = false;
};

using Pages = std::map<std::filesystem::path, std::string>;

Expected<Pages> render(const std::filesystem::path& folder) {
  const auto records = read_reports(folder);
  if (!records) return std::unexpected(records.error());
  const auto tables = read_all_instructions(folder);
  if (!tables) return std::unexpected(tables.error());
  if (records->empty() && tables->empty())
    return fail("io",
                "no result.json and no instructions.json one or two folders below: name the folder that has one a "
                "GPU",
                folder.string());
  Pages pages;
  const auto add = [&](const std::filesystem::path& place, ReportFiles files) {
    for (auto& [name, text] : files) pages.emplace(place / name, std::move(text));
  };
  for (const auto& [slug, record] : *records) add(folder / slug, report_files(record, pages_of(folder / slug)));
  for (const auto& [slug, table] : *tables) add(folder / slug, instruction_files(table, pages_of(folder / slug)));
  add(folder, gallery_files(*records, *tables));
  return pages;
}

int check(const Pages& pages) {
  bool all_same = true;
  for (const auto& [path, text] : pages) {
    const auto now = read_file(path);
    if (now && *now == text) continue;
    fmt::print("{} is not what its data render to\n", path.string());
    all_same = false;
  }
  if (all_same) fmt::print("{} files are what their data render to\n", pages.size());
  return all_same ? 0 : 1;
}

int report(const ReportOptions& options) {
  const auto pages = render(options.folder);
  if (!pages) return complain(pages.error());
  if (options.check) return check(*pages);
  for (const auto& [path, text] : *pages)
    if (auto allowed = may_replace(path); !allowed) return complain(allowed.error());
  for (const auto& [path, text] : *pages) {
    if (auto written = write_file_atomically(path, text); !written) return complain(written.error());
    fmt::print("wrote {}\n", path.string());
  }
  return 0;
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
