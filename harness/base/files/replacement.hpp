#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/process.hpp"

namespace warpclock {

/// Which file a name leads to. Two are equal only if it is the same file and nothing was written into it in between.
struct FileState {
  dev_t device = 0;
  ino_t number = 0;
  off_t bytes = 0;
  std::int64_t written_ns = 0;

  bool operator==(const FileState&) const = default;
};

/// Nothing if there is no file. Links are not followed.
[[nodiscard]] std::optional<FileState> file_state(const std::filesystem::path& path);

/// The next content of a file. Until it gets the file's name it lies beside it, under a name that nobody can guess or
/// take, and is removed with this object. What is written in place (node.hpp) is only kept until then.
class Replacement {
 public:
  /// Missing folders are made. With Synced::Yes, the content is on the disk when this returns. Error "io".
  [[nodiscard]] static Expected<Replacement> write(const std::filesystem::path& path, std::string_view text,
                                                   Synced synced, mode_t mode = 0666);

  /// Takes the place of whatever has the name. Error "io".
  [[nodiscard]] Expected<void> put();

  /// Takes the place only of the file that the name led to `before`; false if it leads to another one now.
  [[nodiscard]] Expected<bool> put_over(const std::optional<FileState>& before);

  Replacement(Replacement&& other) noexcept;
  Replacement& operator=(Replacement&&) = delete;
  ~Replacement();

 private:
  Replacement(std::filesystem::path path, Synced synced);

  [[nodiscard]] Expected<void> fill(std::string_view text, mode_t mode);
  /// The name reaches the disk as well.
  [[nodiscard]] Expected<void> finish();

  std::filesystem::path path_, temporary_;
  Synced synced_;
  Descriptor file_;  ///< locked as long as the temporary file is somebody's
  std::string in_place_;
};

/// Makes the folders that are missing. The name of each is on the disk when this returns.
[[nodiscard]] std::error_code make_folders_on_disk(const std::filesystem::path& folder);

/// Removes the temporary files of processes that died. Those that a process still writes stay.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace warpclock
