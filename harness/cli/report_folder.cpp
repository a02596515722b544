#include "cli/report_folder.hpp"

#include <span>

#include "base/marked.hpp"
#include "base/paths.hpp"
#include "report/gallery.hpp"
#include "report/html.hpp"
#include "report/instruction_html.hpp"
#include "report/instruction_json.hpp"
#include "report/instruction_markdown.hpp"
#include "report/markdown.hpp"
#include "report/record_json.hpp"

namespace warpclock {
namespace fs = std::filesystem;

namespace {

Expected<void> write_all(const fs::path& folder, const ReportFiles& files) {
  for (const auto& [name, text] : files)
    if (auto allowed = may_replace(folder / name); !allowed) return allowed;
  for (const auto& [name, text] : files)
    if (auto written = write_file_atomically(folder / name, text); !written) return written;
  return {};
}

/// The folder "reports" that a GPU's folder, or one of its suites', is in; empty where it is in none.
fs::path reports_around(const fs::path& folder) {
  for (const fs::path& reports : {folder.parent_path(), folder.parent_path().parent_path()})
    if (reports.filename() == "reports") return reports;
  return {};
}

}  // namespace

Expected<void> may_fill(const fs::path& folder) {
  for (const char* name : {"result.json", "report.md", "report.html", "run.journal", "instructions.json",
                           "instructions.md", "instructions.html"})
    if (auto allowed = may_replace(folder / name); !allowed) return allowed;
  const fs::path reports = reports_around(folder);
  if (reports.empty()) return {};
  for (const char* name : {"README.md", "instructions.html"})
    if (auto allowed = may_replace(reports / name); !allowed) return allowed;
  return {};
}

FolderPages pages_of(const fs::path& folder) {
  std::error_code error;
  return {.report = fs::exists(folder / "result.json", error),
          .instructions = fs::exists(folder / "instructions.json", error)};
}

ReportFiles report_files(const Record& record, FolderPages pages) {
  return {{"result.json", to_json(record)},
          {"report.md", render_markdown(record)},
          {"report.html", render_html(record, pages.instructions)}};
}

ReportFiles instruction_files(const InstructionTable& unrounded, FolderPages pages) {
  const InstructionTable table = rounded(unrounded);
  std::vector<PageLink> links;
  if (pages.report) links.push_back({"probes", "report.html"});
  return {{"instructions.json", to_json(table)},
          {"instructions.md", render_instruction_markdown(table)},
          {"instructions.html", render_instruction_html(std::span(&table, 1), links)}};
}

Expected<void> write_report(const fs::path& folder, const Record& record) {
  const bool first = !pages_of(folder).report;
  if (auto written = write_all(folder, report_files(record, pages_of(folder))); !written) return written;
  if (!first || !pages_of(folder).instructions) return {};
  const auto table = read_instructions(folder / "instructions.json");
  if (!table) return std::unexpected(table.error());
  return write_all(folder, instruction_files(*table, pages_of(folder)));
}

Expected<void> write_instructions(const fs::path& folder, const InstructionTable& table) {
  const bool first = !pages_of(folder).instructions;
  if (auto written = write_all(folder, instruction_files(table, pages_of(folder))); !written) return written;
  if (!first || !pages_of(folder).report) return {};
  const auto record = read_report(folder / "result.json");
  if (!record) return std::unexpected(record.error());
  return write_all(folder, report_files(*record, pages_of(folder)));
}

Expected<InstructionTable> read_instructions(const fs::path& instructions_json) {
  auto text = read_file(instructions_json);
  if (!text) return std::unexpected(text.error());
  auto table = read_instruction_table(*text);
  if (!table) return fail(table.error().code, table.error().text, instructions_json.string());
  return table;
}

Expected<Record> read_report(const fs::path& result_json) {
  auto text = read_file(result_json);
  if (!text) return std::unexpected(text.error());
  return parse_record(*text, result_json.string());
}

namespace {

/// What `read` makes of the file `name` in every folder of a GPU, and of a suite in it, that has one.
template <class T>
Expected<std::map<std::string, T>> read_folders(const fs::path& reports, const char* name,
                                                Expected<T> (*read)(const fs::path&)) {
  std::error_code error;
  if (!fs::is_directory(reports, error)) return fail("io", "there is no such folder", reports.string());
  std::map<std::string, T> found;
  const auto look = [&](const fs::path& folder) -> Expected<void> {
    if (!fs::exists(folder / name, error)) return {};
    auto one = read(folder / name);
    if (!one) return std::unexpected(one.error());
    found.emplace(fs::relative(folder, reports).generic_string(), std::move(*one));
    return {};
  };
  for (const auto& gpu : fs::directory_iterator(reports, error)) {
    if (!gpu.is_directory(error)) continue;
    if (auto looked = look(gpu.path()); !looked) return std::unexpected(looked.error());
    for (const auto& suite : fs::directory_iterator(gpu.path(), error)) {
      if (!suite.is_directory(error)) continue;
      if (auto looked = look(suite.path()); !looked) return std::unexpected(looked.error());
    }
  }
  return found;
}

}  // namespace

Expected<std::map<std::string, Record>> read_reports(const fs::path& reports) {
  return read_folders(reports, "result.json", read_report);
}

Expected<std::map<std::string, InstructionTable>> read_all_instructions(const fs::path& reports) {
  return read_folders(reports, "instructions.json", read_instructions);
}

ReportFiles gallery_files(const std::map<std::string, Record>& records,
                          const std::map<std::string, InstructionTable>& tables) {
  ReportFiles files = {{"README.md", render_gallery(records, tables)}};
  if (tables.size() < 2) return files;
  std::vector<InstructionTable> all;
  for (const auto& [folder, table] : tables) all.push_back(table);
  files.emplace("instructions.html", render_instruction_html(all));
  return files;
}

Expected<void> refresh_gallery(const fs::path& folder) {
  const fs::path reports = reports_around(folder);
  if (reports.empty()) return {};
  const auto records = read_reports(reports);
  if (!records) return std::unexpected(records.error());
  const auto tables = read_all_instructions(reports);
  if (!tables) return std::unexpected(tables.error());
  return write_all(reports, gallery_files(*records, *tables));
}

}  // namespace warpclock
