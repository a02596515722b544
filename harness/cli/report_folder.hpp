#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "answer/overview/reported_gpu.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "cli/options/options.hpp"
#include "record/json/record_json.hpp"
#include "report/page/page.hpp"

namespace CLI {
class App;
}

namespace warpclock {

/// Files by name, or by path relative to a folder.
using ReportFiles = std::map<std::string, std::string>;

/// result.json.gz and report.html; instructions.json.gz and instructions.html; machine.json.gz and machine.html;
/// cases.json.gz and cases.html. Records are here as the JSON that is packed when it is written.
[[nodiscard]] ReportFiles record_files(const Record& record, const PagePlace& place);

/// The files of all of these, by path, and the index.html and README.md of each GPU. The pages of one GPU link to each
/// other.
[[nodiscard]] ReportFiles files_of(const Reports& reports);

/// Writes each file completely or not at all, and none if one of them must not be replaced (error "not-generated") or
/// there is no room for those of its folder. Records come before pages. Removes an unpacked record of the same name,
/// and what a killed process left.
[[nodiscard]] Expected<void> write_all(const std::filesystem::path& folder, const ReportFiles& files);

/// Error "not-generated" if a file that would be written into `folder`, or into the folder of all reports, exists and
/// was not written by this program. Called before anything is measured.
[[nodiscard]] Expected<void> may_fill(const std::filesystem::path& folder);

/// For a command that fills `folder`, before it begins: may_fill(), and no other command fills it until the lock ends.
/// Errors of both.
[[nodiscard]] Expected<FolderLock> claim(const std::filesystem::path& folder);

/// Writes a record of any kind and its pages into `folder`. In a GPU's folder, the other pages get links to it.
[[nodiscard]] Expected<void> write_record(const std::filesystem::path& folder, const Record& record);

/// The content of `reports` itself: README.md, index.html, and for several GPUs instructions.html with the instructions
/// of all of them.
[[nodiscard]] ReportFiles gallery_files(const Reports& reports);

/// Adds the records that are in `folder`, under the name `slug`; of results perhaps only the numbers (Wanted). Errors:
/// those of reading.
[[nodiscard]] Expected<void> read_into(Reports& reports, const std::filesystem::path& folder, const std::string& slug,
                                       bool numbers = false);
/// Adds those of a GPU's folder and of its suites.
[[nodiscard]] Expected<void> read_gpu(Reports& reports, const std::filesystem::path& folder, const std::string& slug,
                                      bool numbers = false);

/// Every result.json.gz, instructions.json.gz, machine.json.gz and cases.json.gz one or two folders below `folder`,
/// unpacked ones too. Error "io" if the folder does not exist.
[[nodiscard]] Expected<Reports> read_reports(const std::filesystem::path& folder);

/// Writes a record and its pages, and says so unless `quiet`. If `folder` belongs to a GPU or one of its suites inside
/// a folder named "reports", what that has of all of them is written anew.
[[nodiscard]] Expected<void> publish(const std::filesystem::path& folder, const Record& record, bool quiet = false);

/// --gpu GPU,... and --reports DIR.
void add_reports_options(CLI::App& command, GpuChoice& choice);

/// All records of the chosen GPUs, "h100,h200", or of all measured ones; of results their numbers.
/// Errors "io" and "gpu".
[[nodiscard]] Expected<Reports> chosen_reports(const GpuChoice& choice);

}  // namespace warpclock
