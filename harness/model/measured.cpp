#include "model/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/text.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

bool has_record(const fs::path& folder) {
  constexpr std::array<const char*, 3> files = {"result.json", "instructions.json", "machine.json"};
  return std::ranges::any_of(files, [&](const char* file) { return has_packed_file(folder / file); });
}

std::vector<fs::path> usual_folders() {
  std::vector<fs::path> folders = {"reports"};
  const fs::path program = program_folder();
  for (fs::path at = program; at.has_relative_path(); at = at.parent_path()) folders.push_back(at / "reports");
  folders.push_back((program / WARPCLOCK_INSTALLED_DATA / "reports").lexically_normal());
  return folders;
}

}  // namespace

Expected<std::vector<std::string>> measured_gpus(const fs::path& reports) {
  std::vector<std::string> names;
  std::error_code error;
  // The folder of a GPU has those of its suites.
  if (has_record(reports) || !fs::is_directory(reports, error)) return names;
  for (const fs::path& folder : WARPCLOCK_TRY(entries_of(reports)))
    if (fs::is_directory(folder, error) && has_record(folder)) names.push_back(folder.filename().string());
  return names;
}

Expected<std::optional<fs::path>> usual_reports() {
  for (fs::path& folder : usual_folders()) {
    const auto names = WARPCLOCK_TRY(measured_gpus(folder));
    if (!names.empty()) return std::move(folder);
  }
  return std::nullopt;
}

Expected<fs::path> find_reports(const std::string& given) {
  if (!given.empty()) {
    const auto names = WARPCLOCK_TRY(measured_gpus(given));
    if (!names.empty()) return fs::path(given);
    return fail(
        "io",
        "this is not a folder of reports: name the one that has a folder with a result.json, instructions.json or "
        "machine.json for each GPU",
        given);
  }
  if (auto usual = WARPCLOCK_TRY(usual_reports())) return *std::move(usual);
  return fail("io", "there are no reports here, next to the program or above it; name their folder by --reports DIR");
}

Expected<std::string> choose_gpu(const std::vector<std::string>& names, const std::string& word) {
  const std::string wanted = "-" + to_lower(word) + "-";
  std::vector<std::string> fitting;
  for (const std::string& name : names) {
    if (name == word) return name;
    if (("-" + to_lower(name) + "-").contains(wanted)) fitting.push_back(name);
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty())
    return fail("gpu", fmt::format("--gpu: there are no reports of '{}'{}", word, hint(word, names)));
  return fail("gpu", fmt::format("--gpu: '{}' is part of {}: name one of them", word, join(fitting, " and ")));
}

Expected<MeasuredGpu> read_measured_gpu(const fs::path& reports, const std::string& folder) {
  MeasuredGpu gpu;
  gpu.folder = folder;
  std::vector<std::string> files = {"result.json"};
  std::error_code error;
  for (const fs::path& suite : WARPCLOCK_TRY(entries_of(reports / folder)))
    if (fs::is_directory(suite, error)) files.push_back(suite.filename().string() + "/result.json");
  for (const std::string& file : files) {
    auto record = WARPCLOCK_TRY(read_if_there(reports / folder / file, {.numbers = true}));
    if (record) gpu.results.emplace(file, *std::move(record));
  }
  gpu.instructions = WARPCLOCK_TRY(read_if_there(reports / folder / "instructions.json", {{RecordFile::Instructions}}));
  gpu.machine = WARPCLOCK_TRY(read_if_there(reports / folder / "machine.json", {{RecordFile::Machine}}));
  return gpu;
}

Expected<Record> read_record(const fs::path& path, const Wanted& wanted) {
  const auto text = WARPCLOCK_TRY(read_packed_file(path));
  return parse_record(text, packed_path(path).string(), wanted);
}

Expected<std::optional<Record>> read_if_there(const fs::path& path, const Wanted& wanted) {
  if (!has_packed_file(path)) return std::nullopt;
  return read_record(path, wanted);
}

}  // namespace warpclock
