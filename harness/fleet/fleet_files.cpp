#include "fleet/fleet_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/json/json_writer.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_failure_bytes = std::size_t{1} << 20;

}  // namespace

Expected<void> write_failure(const fs::path& folder, const std::string& host, const std::string& gpu,
                             const Error& error) {
  const Json json = {{"schema", {{"major", 1}, {"minor", 0}, {"patch", 0}}},
                     {"record", "failure"},
                     {"host", host},
                     {"gpu", gpu},
                     {"code", error.code},
                     {"text", error.message()}};
  return write_marked(folder / failure_file, compact(json) + "\n");
}

FleetFailure read_failure(const fs::path& path, const fs::path& fleet) {
  FleetFailure failure{path.lexically_relative(fleet).generic_string(), ""};
  const auto text = read_file(path, most_failure_bytes);
  const Json json = text ? Json::parse(*text, nullptr, false) : Json();
  const auto part = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  failure.text = part("text").empty() ? "this file cannot be read"
                                      : fmt::format("{}{}GPU {}: {}", part("host"), part("host").empty() ? "" : ", ",
                                                    part("gpu"), part("text"));
  return failure;
}

namespace {

class Walk {
 public:
  explicit Walk(const fs::path& top) : top_(top) {}

  Expected<RecordFiles> finish() {
    std::error_code reason;
    if (!fs::is_directory(top_, reason)) return fail("io", "there is no such folder", top_.string());
    if (const std::error_code error = list(top_))
      return fail("io", "cannot list the folder: " + error.message(), top_.string());
    // Links wait, so that a folder has the name without a link however the names are sorted.
    for (;;) {
      if (!folders_.empty()) {
        enter(next_of(folders_));
      } else if (!links_.empty()) {
        follow(next_of(links_));
      } else {
        break;
      }
    }
    std::ranges::sort(found_.records);
    std::ranges::sort(found_.failures);
    std::ranges::sort(found_.unread, {}, &FleetFailure::path);
    return std::move(found_);
  }

 private:
  static fs::path next_of(std::set<fs::path>& paths) { return paths.extract(paths.begin()).value(); }

  void cannot(const fs::path& path, std::string_view what, const std::error_code& reason) {
    found_.unread.push_back({path.lexically_relative(top_).generic_string(),
                             fmt::format("{}: {}: make it readable, or move it away", what, reason.message())});
  }

  std::error_code list(const fs::path& folder) {
    struct stat facts {};
    if (stat(folder.c_str(), &facts) != 0) return {errno, std::generic_category()};
    if (!entered_.emplace(facts.st_dev, facts.st_ino).second) return {};
    std::error_code reason;
    fs::directory_iterator entry(folder, reason);
    for (const fs::directory_iterator end; !reason && entry != end; entry.increment(reason)) take(*entry);
    return reason;
  }

  void enter(const fs::path& folder) {
    if (const std::error_code reason = list(folder)) cannot(folder, "this folder cannot be read", reason);
  }

  void take(const fs::directory_entry& entry) {
    std::error_code reason;
    const fs::file_type type = entry.symlink_status(reason).type();
    if (type == fs::file_type::directory) {
      folders_.insert(entry.path());
    } else if (type == fs::file_type::symlink) {
      links_.insert(entry.path());
    } else {
      // What cannot be looked at is read by its name, and that fails with the reason.
      take_file(entry.path());
    }
  }

  void take_file(const fs::path& path) {
    const std::string name = without_gz(path).filename().string();
    if (name == "result.json" || name == "instructions.json") found_.records.push_back(path);
    if (name == failure_file) found_.failures.push_back(path);
  }

  void follow(const fs::path& link) {
    std::error_code reason;
    const fs::file_status target = fs::status(link, reason);
    if (reason || target.type() == fs::file_type::not_found) {
      cannot(link, "this link leads nowhere", reason);
    } else if (target.type() == fs::file_type::directory) {
      enter(link);
    } else {
      take_file(link);
    }
  }

  const fs::path& top_;
  RecordFiles found_;
  std::set<fs::path> folders_, links_;
  std::set<std::pair<dev_t, ino_t>> entered_;
};

}  // namespace

Expected<RecordFiles> find_record_files(const fs::path& folder) { return Walk(folder).finish(); }

}  // namespace warpclock
