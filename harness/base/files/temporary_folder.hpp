#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace warpclock {

/// A folder that is removed with its content on destruction.
class TemporaryFolder {
 public:
  /// Error "io".
  [[nodiscard]] static Expected<TemporaryFolder> make() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpclock.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return fail("io", fmt::format("cannot make {}", pattern));
    TemporaryFolder folder;
    folder.path_ = pattern;
    return folder;
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TemporaryFolder() = default;
  std::string path_;
};

}  // namespace warpclock
