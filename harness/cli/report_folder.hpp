#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/instruction_record.hpp"
#include "report/record.hpp"

namespace warpclock {

/// The files of a report by name: result.json, report.md, report.html.
using ReportFiles = std::map<std::string, std::string>;

[[nodiscard]] ReportFiles report_files(const Record& record);

/// Writes them into `folder`, each whole or not at all.
[[nodiscard]] Expected<void> write_report(const std::filesystem::path& folder, const Record& record);

/// instructions.json, instructions.md and instructions.html.
[[nodiscard]] ReportFiles instruction_files(const InstructionTable& table);
[[nodiscard]] Expected<void> write_instructions(const std::filesystem::path& folder, const InstructionTable& table);
[[nodiscard]] Expected<InstructionTable> read_instructions(const std::filesystem::path& instructions_json);

[[nodiscard]] Expected<Record> read_report(const std::filesystem::path& result_json);

/// Every result.json one folder below `reports`, by that folder's name; error "io" when there is no such folder.
[[nodiscard]] Expected<std::map<std::string, Record>> read_reports(const std::filesystem::path& reports);

}  // namespace warpclock
