#pragma once

#include <chrono>
#include <filesystem>

#include "base/error.hpp"
#include "base/process.hpp"

namespace warpclock {

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
