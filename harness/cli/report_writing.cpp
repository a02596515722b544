#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/files/replacement.hpp"
#include "cli/report_folder.hpp"

namespace warpclock {
namespace fs = std::filesystem;

namespace {

/// A file that is to be written.
struct NextFile {
  fs::path path;
  const std::string* text;
  std::optional<FileState> before;

  [[nodiscard]] bool is_record() const { return path.extension() == ".gz"; }
};

Expected<Replacement> content_of(const NextFile& file) {
  if (!file.is_record()) return Replacement::write(file.path, *file.text, Synced::Yes);
  return Replacement::write(file.path, gzip_compress(*file.text), Synced::Yes);
}

/// The record as earlier versions wrote it.
void remove_unpacked(const fs::path& record) {
  std::error_code ignored;
  const fs::path unpacked = without_gz(record);
  if (fs::is_regular_file(unpacked, ignored) && may_replace(unpacked)) fs::remove(unpacked, ignored);
}

/// Nothing is replaced before everything is on the disk, and records come before the pages that are made of them.
Expected<void> write_folder(const fs::path& folder, std::vector<NextFile> files) {
  remove_leftovers(folder);
  std::ranges::stable_partition(files, &NextFile::is_record);
  std::vector<Replacement> contents;
  for (const NextFile& one : files) {
    auto content = WARPCLOCK_TRY(content_of(one));
    contents.push_back(std::move(content));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool done = WARPCLOCK_TRY(contents[i].put_over(files[i].before));
    if (!done) return changed_meanwhile(files[i].path);
    if (files[i].is_record()) remove_unpacked(files[i].path);
  }
  return {};
}

}  // namespace

Expected<void> write_all(const fs::path& folder, const ReportFiles& files) {
  std::map<fs::path, std::vector<NextFile>> folders;
  for (const auto& [name, text] : files) {
    const fs::path path = folder / name;
    folders[path.parent_path()].push_back({path, &text, file_state(path)});
    WARPCLOCK_TRY(may_replace(path));
  }
  for (const bool with_record : {true, false}) {
    for (const auto& [each, inside] : folders) {
      if (std::ranges::any_of(inside, &NextFile::is_record) == with_record) WARPCLOCK_TRY(write_folder(each, inside));
    }
  }
  return {};
}

}  // namespace warpclock
