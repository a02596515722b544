#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/files/temporary_folder.hpp"

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

inline void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

inline std::string write_script(const std::string& path, const std::string& body) {
  write(path, "#!/bin/sh\n" + body);
  chmod(path.c_str(), 0755);
  return path;
}

}  // namespace warpclock::testing
