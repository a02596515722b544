#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/files/packed_file.hpp"
#include "cli/report_folder.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

template <class T>
Expected<T> read_with(Expected<T> (*read)(std::string_view, const std::string&), const fs::path& path) {
  const auto text = WARPCLOCK_TRY(read_packed_file(path));
  return read(text, packed_path(path).string());
}

}  // namespace

Expected<InstructionTable> read_instructions(const fs::path& path) { return read_with(read_instruction_table, path); }
Expected<MachineTable> read_machine(const fs::path& path) { return read_with(read_machine_table, path); }
Expected<KernelTable> read_kernels(const fs::path& path) { return read_with(read_kernel_table, path); }
Expected<Record> read_report(const fs::path& path) { return read_with(parse_record, path); }

Expected<void> read_into(Reports& reports, const fs::path& folder, const std::string& slug) {
  const auto add = [&](const char* name, const auto& read, auto& all) -> Expected<void> {
    if (!has_packed_file(folder / name)) return {};
    auto record = WARPCLOCK_TRY(read(folder / name));
    all.emplace(slug, std::move(record));
    return {};
  };
  WARPCLOCK_TRY(add("result.json.gz", read_report, reports.records));
  WARPCLOCK_TRY(add("instructions.json.gz", read_instructions, reports.tables));
  WARPCLOCK_TRY(add("machine.json.gz", read_machine, reports.machines));
  return add("cases.json.gz", read_kernels, reports.kernels);
}

Expected<void> read_gpu(Reports& reports, const fs::path& folder, const std::string& slug) {
  WARPCLOCK_TRY(read_into(reports, folder, slug));
  std::error_code error;
  for (const auto& suite : fs::directory_iterator(folder, error)) {
    if (!suite.is_directory(error)) continue;
    const std::string name = slug + "/" + suite.path().filename().string();
    WARPCLOCK_TRY(read_into(reports, suite.path(), name));
  }
  return {};
}

Expected<Reports> read_reports(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fail("io", "there is no such folder", folder.string());
  Reports found;
  for (const auto& gpu : fs::directory_iterator(folder, error)) {
    if (!gpu.is_directory(error)) continue;
    WARPCLOCK_TRY(read_gpu(found, gpu.path(), gpu.path().filename().string()));
  }
  return found;
}

}  // namespace warpclock
