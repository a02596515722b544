#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"

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

/// What a folder has, in the order of names; nothing if there is no such folder. Error "io" if it cannot be read to its
/// end.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> entries_of(const std::filesystem::path& folder);

/// Makes a folder, with those above it that are missing, that only this user can enter; or makes sure of an existing
/// one that nobody else can put files into it. A link is followed if it is this user's or root's. Errors "io", and
/// "foreign": it belongs to another user, or others may write into it.
[[nodiscard]] Expected<void> private_folder(const std::filesystem::path& path);

/// Keeps other processes out of a folder. The lock ends with the process, however it ends; its file is removed with the
/// object.
class FolderLock {
 public:
  /// For the whole time of a command that fills the folder: run.lock. Error "locked" if another one has it, "io".
  [[nodiscard]] static Expected<FolderLock> take(const std::filesystem::path& folder);

  /// For the time in which records are read, and pages of them written, in the folder and below: write.lock. Waits
  /// while another process has it. Error "locked" if it has it for longer than `patience`, "io".
  [[nodiscard]] static Expected<FolderLock> wait(const std::filesystem::path& folder,
                                                 std::chrono::milliseconds patience = std::chrono::minutes(5));

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  FolderLock(std::filesystem::path path, Descriptor file);

  [[nodiscard]] static Expected<FolderLock> lock(const std::filesystem::path& path, std::chrono::milliseconds patience,
                                                 const char* otherwise);

  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace warpclock
