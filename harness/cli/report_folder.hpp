#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "record/instruction_record.hpp"
#include "record/machine_record.hpp"
#include "record/page_place.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Files by name, or by path below a folder.
using ReportFiles = std::map<std::string, std::string>;

/// What was measured, by the folder below that of all reports: "nvidia-h200", "nvidia-h200/memory".
struct Reports {
  std::map<std::string, Record> records;
  std::map<std::string, InstructionTable> tables;
  std::map<std::string, MachineTable> machines;
};

/// result.json, report.md, report.html; instructions.json, instructions.md, instructions.html; machine.json, machine.md
/// and machine.html.
[[nodiscard]] ReportFiles report_files(const Record& record, const PagePlace& place);
[[nodiscard]] ReportFiles instruction_files(const InstructionTable& table, const PagePlace& place);
[[nodiscard]] ReportFiles machine_files(const MachineTable& table, const PagePlace& place);

/// The files of all of these, by path; the pages of one GPU lead to each other.
[[nodiscard]] ReportFiles files_of(const Reports& reports);

/// Writes each whole or not at all, and none where one may not be replaced (error "not-generated").
[[nodiscard]] Expected<void> write_all(const std::filesystem::path& folder, const ReportFiles& files);

/// Error "not-generated" where one of the files that are written into `folder`, or about it into the folder of all
/// reports, is there and is not the program's: asked before anything is measured.
[[nodiscard]] Expected<void> may_fill(const std::filesystem::path& folder);
/// Writes a result, or a table of instructions, and its pages into `folder`. In a GPU's folder the other pages learn of
/// it.
[[nodiscard]] Expected<void> write_report(const std::filesystem::path& folder, const Record& record);
[[nodiscard]] Expected<void> write_instructions(const std::filesystem::path& folder, const InstructionTable& table);
[[nodiscard]] Expected<void> write_machine(const std::filesystem::path& folder, const MachineTable& table);

[[nodiscard]] Expected<InstructionTable> read_instructions(const std::filesystem::path& instructions_json);
[[nodiscard]] Expected<MachineTable> read_machine(const std::filesystem::path& machine_json);
/// What stands in `reports` itself: README.md, and with several GPUs instructions.html with their instructions side by
/// side.
[[nodiscard]] ReportFiles gallery_files(const Reports& reports);

[[nodiscard]] Expected<Record> read_report(const std::filesystem::path& result_json);

/// Every result.json, instructions.json and machine.json one or two folders below `folder`; error "io" when there is no
/// such folder.
[[nodiscard]] Expected<Reports> read_reports(const std::filesystem::path& folder);

/// Writes README.md and instructions.html of all reports anew where `folder` is one GPU's, or one of its suites', in a
/// folder of that name, "reports".
[[nodiscard]] Expected<void> refresh_gallery(const std::filesystem::path& folder);

}  // namespace warpclock
