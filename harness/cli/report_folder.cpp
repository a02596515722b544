#include "cli/report_folder.hpp"

#include <span>

#include "base/paths.hpp"
#include "report/html.hpp"
#include "report/instruction_html.hpp"
#include "report/instruction_json.hpp"
#include "report/instruction_markdown.hpp"
#include "report/markdown.hpp"
#include "report/record_json.hpp"

namespace warpclock {
namespace fs = std::filesystem;

ReportFiles report_files(const Record& record) {
  return {
      {"result.json", to_json(record)}, {"report.md", render_markdown(record)}, {"report.html", render_html(record)}};
}

Expected<void> write_report(const fs::path& folder, const Record& record) {
  for (const auto& [name, text] : report_files(record))
    if (auto written = write_file_atomically(folder / name, text); !written) return written;
  return {};
}

ReportFiles instruction_files(const InstructionTable& unrounded) {
  const InstructionTable table = rounded(unrounded);
  return {{"instructions.json", to_json(table)},
          {"instructions.md", render_instruction_markdown(table)},
          {"instructions.html", render_instruction_html(std::span(&table, 1))}};
}

Expected<void> write_instructions(const fs::path& folder, const InstructionTable& table) {
  for (const auto& [name, text] : instruction_files(table))
    if (auto written = write_file_atomically(folder / name, text); !written) return written;
  return {};
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

Expected<std::map<std::string, Record>> read_reports(const fs::path& reports) {
  std::error_code error;
  if (!fs::is_directory(reports, error)) return fail("io", "there is no such folder", reports.string());
  std::map<std::string, Record> found;
  for (const auto& entry : fs::directory_iterator(reports, error)) {
    const fs::path file = entry.path() / "result.json";
    if (!fs::exists(file, error)) continue;
    auto record = read_report(file);
    if (!record) return std::unexpected(record.error());
    found.emplace(entry.path().filename().string(), std::move(*record));
  }
  return found;
}

}  // namespace warpclock
