#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/instruction_record.hpp"
#include "report/record.hpp"

namespace warpclock {

/// Files by name.
using ReportFiles = std::map<std::string, std::string>;

/// The pages of a GPU's folder lead to each other where both are there.
struct FolderPages {
  bool report = false, instructions = false;
};
/// By the files that they are rendered from, result.json and instructions.json.
[[nodiscard]] FolderPages pages_of(const std::filesystem::path& folder);

/// result.json, report.md, report.html.
[[nodiscard]] ReportFiles report_files(const Record& record, FolderPages pages);
/// instructions.json, instructions.md and instructions.html.
[[nodiscard]] ReportFiles instruction_files(const InstructionTable& table, FolderPages pages);

/// Error "not-generated" where one of the files that are written into `folder`, or about it into the folder of all
/// reports, is there and is not the program's: asked before anything is measured.
[[nodiscard]] Expected<void> may_fill(const std::filesystem::path& folder);
/// Writes them into `folder`, each whole or not at all, and none where one may not be replaced; a page that was there
/// before learns of its new neighbour.
[[nodiscard]] Expected<void> write_report(const std::filesystem::path& folder, const Record& record);
[[nodiscard]] Expected<void> write_instructions(const std::filesystem::path& folder, const InstructionTable& table);

[[nodiscard]] Expected<InstructionTable> read_instructions(const std::filesystem::path& instructions_json);
/// Every instructions.json one folder below `reports`, by that folder's name.
[[nodiscard]] Expected<std::map<std::string, InstructionTable>> read_all_instructions(
    const std::filesystem::path& reports);

/// What stands in `reports` itself: README.md, and with several GPUs instructions.html with their instructions side by
/// side.
[[nodiscard]] ReportFiles gallery_files(const std::map<std::string, Record>& records,
                                        const std::map<std::string, InstructionTable>& tables);

[[nodiscard]] Expected<Record> read_report(const std::filesystem::path& result_json);

/// Every result.json one or two folders below `reports` ("nvidia-h200", "nvidia-h200/memory"), by that path; error "io"
/// when there is no such folder.
[[nodiscard]] Expected<std::map<std::string, Record>> read_reports(const std::filesystem::path& reports);

/// Writes them anew where `folder` is one GPU's, or one of its suites', in a folder of that name, "reports".
[[nodiscard]] Expected<void> refresh_gallery(const std::filesystem::path& folder);

}  // namespace warpclock
