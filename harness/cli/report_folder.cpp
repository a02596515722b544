#include "cli/report_folder.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "answer/ask/hits.hpp"
#include "answer/numbers/answer.hpp"
#include "base/escape.hpp"
#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/text.hpp"
#include "cli/options/options.hpp"
#include "model/measured.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

/// "result.json.gz"
std::string record_name(RecordFile file) { return fmt::format("{}.json.gz", word(file)); }

/// The folder "reports" that contains the folder of a GPU or of one of its suites; empty if there is none.
fs::path reports_around(const fs::path& folder) {
  for (const fs::path& reports : {folder.parent_path(), folder.parent_path().parent_path()})
    if (reports.filename() == "reports") return reports;
  return {};
}

}  // namespace

Expected<void> may_fill(const fs::path& folder) {
  std::vector<std::string> names = {"run.journal", "index.html"};
  for (const RecordFile file : every_record_file) {
    names.push_back(record_name(file));
    names.emplace_back(page_file(file));
  }
  for (const std::string& name : names) WARPCLOCK_TRY(may_replace(folder / name));
  const fs::path reports = reports_around(folder);
  if (reports.empty()) return {};
  const fs::path gpu = reports / *folder.lexically_relative(reports).begin();
  for (const char* name : {"README.md", "index.html"}) WARPCLOCK_TRY(may_replace(gpu / name));
  for (const char* name : {"README.md", "index.html", "instructions.html"}) WARPCLOCK_TRY(may_replace(reports / name));
  return {};
}

Expected<FolderLock> claim(const fs::path& folder) {
  WARPCLOCK_TRY(may_fill(folder));
  return FolderLock::take(folder);
}

ReportFiles record_files(const Record& record, const PagePlace& place) {
  return {{record_name(record.file), to_json(record)}, {page_file(record.file), render_record(record, place)}};
}

namespace {

/// "nvidia-h200" and "memory" from "nvidia-h200/memory".
std::pair<std::string, std::string> gpu_and_suite(const std::string& slug) {
  const std::size_t slash = slug.find('/');
  if (slash == std::string::npos) return {slug, ""};
  return {slug.substr(0, slash), slug.substr(slash + 1)};
}

/// The records in each GPU's folder and in those of its suites.
std::map<std::string, GpuFolder> folders_of(const Reports& reports) {
  std::map<std::string, GpuFolder> gpus;
  for (const auto& [file, records] : reports) {
    for (const auto& [slug, record] : records) {
      const auto [gpu, suite] = gpu_and_suite(slug);
      gpus[gpu][file].emplace(suite, record.device);
    }
  }
  return gpus;
}

}  // namespace

ReportFiles files_of(const Reports& reports) {
  std::map<std::string, GpuFolder> gpus = folders_of(reports);
  ReportFiles all;
  std::map<std::string, std::string> search;
  const std::vector<ReportedGpu> measured = reported_gpus(reports);
  for (const ReportedGpu& gpu : measured) search[gpu.folder] = packed(search_text(gpu));
  const auto placed = [&](PagePlace place, const std::string& gpu) {
    place.gpu = place.to_gpu + "index.html";
    place.all = place.to_gpu + "../index.html";
    place.search = search[gpu];
    return place;
  };
  for (const ReportedGpu& gpu : measured) {
    all.emplace(gpu.folder + "/index.html",
                render_gpu(gpu, placed(place_of_overview(gpus[gpu.folder], gpu.name()), gpu.folder)));
    all.emplace(gpu.folder + "/README.md", render_gpu_summary(gpu));
  }
  for (const auto& [file, records] : reports) {
    for (const auto& [slug, record] : records) {
      const auto [gpu, suite] = gpu_and_suite(slug);
      for (auto& [name, text] : record_files(record, placed(place_of(gpus[gpu], file, suite), gpu)))
        all.emplace(slug + "/" + name, std::move(text));
    }
  }
  return all;
}

namespace {

/// The reports of the GPU to which a folder belongs, with a record that is new. Elsewhere, only those in the folder
/// itself, which then has no suite name.
struct Around {
  fs::path root;
  std::string slug;
  Reports reports;
};

Expected<Around> look_around(const fs::path& named, const Record& record) {
  const fs::path folder = named.has_filename() ? named : named.parent_path();
  Around around{.root = reports_around(folder)};
  if (around.root.empty()) {
    around.root = folder;
    WARPCLOCK_TRY(read_into(around.reports, folder, ""));
  } else {
    around.slug = folder.lexically_relative(around.root).generic_string();
    const std::string gpu = around.slug.substr(0, around.slug.find('/'));
    WARPCLOCK_TRY(read_gpu(around.reports, around.root / gpu, gpu));
  }
  around.reports[record.file].insert_or_assign(around.slug, finished(record));
  return around;
}

/// Writes the folder's own files, and those pages of the GPU's other folders that change.
Expected<void> write_around(const Around& around) {
  if (around.slug.empty()) {
    ReportFiles files;
    const GpuFolder only = folders_of(around.reports)[""];
    for (const auto& [file, records] : around.reports) {
      for (const auto& [slug, record] : records) {
        PagePlace place = place_of(only, file, slug);
        if (file == RecordFile::Result) place.suite.clear();
        files.merge(record_files(record, place));
      }
    }
    return write_all(around.root, files);
  }
  ReportFiles files = files_of(around.reports);
  std::erase_if(files, [&](const auto& file) {
    const fs::path path = file.first;
    if (path.parent_path() == around.slug) return false;
    return path.extension() == ".gz" || read_file(around.root / path) == file.second;
  });
  return write_all(around.root, files);
}

/// While records are read and pages are made of them, nobody else changes them.
Expected<FolderLock> lock_around(const fs::path& folder) {
  const fs::path reports = reports_around(folder);
  return FolderLock::wait(reports.empty() ? folder : reports);
}

Expected<void> write_locked(const fs::path& folder, const Record& record) {
  const auto around = WARPCLOCK_TRY(look_around(folder, record));
  return write_around(around);
}

}  // namespace

Expected<void> write_record(const fs::path& folder, const Record& record) {
  const auto lock = WARPCLOCK_TRY(lock_around(folder));
  return write_locked(folder, record);
}

ReportFiles gallery_files(const Reports& reports) {
  const std::vector<ReportedGpu> gpus = reported_gpus(reports);
  PagePlace place;
  place.all = "index.html";
  if (!gpus.empty()) place.search = packed(search_text_of_all(gpus));
  ReportFiles files = {{"README.md", render_summary(gpus)}, {"index.html", render_index(gpus, place)}};
  const auto tables = reports.find(RecordFile::Instructions);
  if (tables == reports.end() || tables->second.size() < 2) return files;
  std::vector<Record> all;
  for (const auto& [folder, table] : tables->second) all.push_back(table);
  PagePlace above;
  above.all = "index.html";
  above.search = packed(search_text({}));
  files.emplace("instructions.html", render_instruction_html(all, above));
  return files;
}

Expected<void> publish(const fs::path& folder, const Record& record, bool quiet) {
  const auto lock = WARPCLOCK_TRY(lock_around(folder));
  WARPCLOCK_TRY(write_locked(folder, record));
  if (!quiet)
    fmt::print("wrote {0}/{1}, {0}/{2}\n", printable(folder.string()), record_name(record.file),
               page_file(record.file));
  const fs::path reports = reports_around(folder);
  if (reports.empty()) return {};
  const auto all = WARPCLOCK_TRY(read_reports(reports));
  return write_all(reports, gallery_files(all));
}

Expected<void> read_into(Reports& reports, const fs::path& folder, const std::string& slug, bool numbers) {
  for (const RecordFile file : every_record_file) {
    const Wanted wanted{.files = {file}, .numbers = numbers && file == RecordFile::Result};
    auto record = WARPCLOCK_TRY(read_if_there(folder / record_name(file), wanted));
    if (record) reports[file].emplace(slug, *std::move(record));
  }
  return {};
}

Expected<void> read_gpu(Reports& reports, const fs::path& folder, const std::string& slug, bool numbers) {
  WARPCLOCK_TRY(read_into(reports, folder, slug, numbers));
  std::error_code error;
  for (const fs::path& suite : WARPCLOCK_TRY(entries_of(folder)))
    if (fs::is_directory(suite, error))
      WARPCLOCK_TRY(read_into(reports, suite, slug + "/" + suite.filename().string(), numbers));
  return {};
}

Expected<Reports> read_reports(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fail("io", "there is no such folder", folder.string());
  Reports found;
  for (const fs::path& gpu : WARPCLOCK_TRY(entries_of(folder)))
    if (fs::is_directory(gpu, error)) WARPCLOCK_TRY(read_gpu(found, gpu, gpu.filename().string()));
  return found;
}

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

void add_reports_options(CLI::App& command, GpuChoice& choice) {
  add_value(command, "--gpu", "GPU", choice.gpu,
            "Measured GPUs, h100,h200, or names of their folders of reports; without it all of them");
  add_value(command, "--reports", "DIR", choice.reports,
            "Folder of reports, with a folder for each GPU; without it, `reports` here, or next to the program or "
            "above it");
}

Expected<Reports> chosen_reports(const GpuChoice& choice) {
  const auto folder = WARPCLOCK_TRY(find_reports(choice.reports));
  const auto all = WARPCLOCK_TRY(measured_gpus(folder));
  std::vector<std::string> names = all;
  if (!choice.gpu.empty()) {
    names.clear();
    for (const std::string& word : split(choice.gpu, ',')) names.push_back(WARPCLOCK_TRY(choose_gpu(all, word)));
  }
  Reports reports;
  for (const std::string& name : names) WARPCLOCK_TRY(read_gpu(reports, folder / name, name, true));
  return reports;
}

}  // namespace warpclock
