#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "base/process.hpp"

namespace warpclock {

/// Keeps a second run out of the folder that a run writes. The lock ends with the process, however it ends; its file,
/// run.lock, is removed with the object.
class FolderLock {
 public:
  /// Error "locked" if another run has the folder, "io".
  [[nodiscard]] static Expected<FolderLock> take(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  FolderLock(std::filesystem::path path, Descriptor file);

  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace warpclock
