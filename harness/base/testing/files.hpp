#pragma once

#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.hpp"

namespace warpclock::testing {

/// Sets an environment variable for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A folder that is removed at the end of its test.
class TemporaryFolder {
 public:
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path() + "/" + name; }

  /// Paths of the files with this ending, sorted.
  [[nodiscard]] std::vector<std::string> files(const std::string& ending) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().extension() == ending) found.push_back(entry.path().string());
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  warpclock::TemporaryFolder folder_ = warpclock::TemporaryFolder::make().value();
};

/// What happens to the names in a folder, in its order: "+name" for one that leads to a file from now on, "-name" for
/// one that no longer does.
class Watch {
 public:
  explicit Watch(const std::string& folder) : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    inotify_add_watch(events_, folder.c_str(), IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { ::close(events_); }

  /// Those since the last call.
  [[nodiscard]] std::vector<std::string> seen() const {
    std::vector<std::string> all;
    alignas(inotify_event) std::array<char, 65536> buffer{};
    for (ssize_t got = 0; (got = ::read(events_, buffer.data(), buffer.size())) > 0;) {
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        const bool comes = (event->mask & (IN_CREATE | IN_MOVED_TO)) != 0;
        all.push_back((comes ? "+" : "-") + std::string(event->name));
        at += static_cast<ssize_t>(sizeof *event + event->len);
      }
    }
    return all;
  }

 private:
  int events_;
};

/// While it lives, no file grows beyond this size: writing fails as on a full disk, for root too.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
    signalled_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signalled_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*signalled_)(int) = SIG_DFL;
};

inline void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

inline std::string write_script(const std::string& path, const std::string& body) {
  write(path, "#!/bin/sh\n" + body);
  chmod(path.c_str(), 0755);
  return path;
}

}  // namespace warpclock::testing
