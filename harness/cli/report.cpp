#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "answer/claims.hpp"
#include "answer/numbers/answer.hpp"
#include "base/escape.hpp"
#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"

namespace warpclock {
namespace {

struct ReportOptions {
  std::string folder = "reports";
  bool check = false, json = false, claims = false, findings = false;
};

Expected<ReportFiles> render(const std::filesystem::path& folder) {
  auto reports = WARPCLOCK_TRY(read_reports(folder));
  if (reports.empty()) {
    return fail("io",
                "there is no result.json, instructions.json, machine.json or cases.json one or two folders below: name "
                "the folder that has a folder for each GPU",
                folder.string());
  }
  for (auto& [file, records] : reports)
    for (auto& [slug, record] : records) record = finished(std::move(record));
  ReportFiles files = files_of(reports);
  files.merge(gallery_files(reports));
  return files;
}

int check(const std::filesystem::path& folder, const ReportFiles& files, bool json) {
  std::vector<std::string> stale;
  for (const auto& [name, text] : files) {
    const auto now = name.ends_with(".gz") ? read_packed_file(folder / name) : read_file(folder / name);
    if (now && *now == text) continue;
    stale.push_back((folder / name).string());
    if (!json) fmt::print("{} is not what its data render to\n", printable(stale.back()));
  }
  if (json) {
    const nlohmann::ordered_json all = {{"files", files.size()}, {"stale", stale}};
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (stale.empty()) {
    fmt::print("{} files are what their data render to\n", files.size());
  } else {
    fmt::print("`warpclock report {}` writes them\n", printable(folder.string()));
  }
  return stale.empty() ? 0 : 1;
}

/// Prints what `render` makes of the records below the folder and of a list that the program carries.
template <class List>
Expected<int> print_page(const std::filesystem::path& folder, const Expected<List>& known,
                         std::string (*render)(const ProbeBook&, const List&)) {
  const Reports reports = WARPCLOCK_TRY(read_reports(folder));
  if (!known) return std::unexpected(known.error());
  const std::vector<ReportedGpu> gpus = reported_gpus(reports);
  fmt::print("{}", render(ProbeBook(gpus), *known));
  return 0;
}

Expected<int> report(const ReportOptions& options) {
  if (options.claims) return print_page(options.folder, known_claims(), render_claims);
  if (options.findings) return print_page(options.folder, known_findings(), render_findings);
  const std::filesystem::path folder = options.folder;
  std::optional<FolderLock> lock;
  std::error_code error;
  // A folder that does not exist is an error of reading it, and none is made.
  if (!options.check && std::filesystem::is_directory(folder, error)) lock = WARPCLOCK_TRY(FolderLock::wait(folder));
  const auto files = WARPCLOCK_TRY(render(folder));
  if (options.check) return check(folder, files, options.json);
  WARPCLOCK_TRY(write_all(folder, files));
  for (const auto& [name, text] : files) fmt::print("wrote {}\n", printable((folder / name).string()));
  return 0;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "report",
      "Render every report and the table of all GPUs from result.json, instructions.json, machine.json and cases.json, "
      "packed by gzip or not, and rewrite those packed");
  auto options = std::make_shared<ReportOptions>();
  add_value(*command, "folder", "DIR", options->folder, "The reports")->capture_default_str();
  auto* checked =
      command->add_flag("--check", options->check, "Write nothing; exit 1 when a file is not what would be written");
  command->add_flag("--json", options->json, "With --check: machine-readable")->needs(checked);
  auto* claims =
      command->add_flag("--claims", options->claims, "Write nothing; print what the records say of claims by others")
          ->excludes(checked);
  command->add_flag("--findings", options->findings, "Write nothing; print what was found, with its numbers")
      ->excludes(checked)
      ->excludes(claims);
  command->footer(
      "Examples:\n"
      "  warpclock report\n"
      "  warpclock report --claims > docs/claims.md\n"
      "  warpclock report --findings > docs/findings.md\n"
      "  warpclock report reports --check");
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace warpclock
