#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"

namespace warpclock {

/// How long is waited for a program at the other end of a pipe.
inline constexpr std::chrono::milliseconds usual_patience{5000};

/// Where compiled code is kept between runs: $WARPCLOCK_CACHE, else $XDG_CACHE_HOME/warpclock, else ~/.cache/warpclock,
/// else a folder of this user in the temporary directory. The folder is not created. A relative XDG_CACHE_HOME is
/// ignored (XDG Base Directory Specification).
[[nodiscard]] std::filesystem::path cache_dir();

/// The folder of this program's file, links resolved. Empty if the system does not say it.
[[nodiscard]] std::filesystem::path program_folder();

/// The most bytes of a file that is read: programs and libraries with machine code are the largest.
inline constexpr std::size_t most_file_bytes = std::size_t{4} << 30;
/// The most bytes that are read of a pipe or device, which may have no end.
inline constexpr std::size_t most_stream_bytes = std::size_t{256} << 20;
/// The most bytes of a text that people write: a config, a list, a source.
inline constexpr std::size_t most_text_bytes = std::size_t{16} << 20;

/// All bytes of a file, which has at most `most`. For a program to open the other end of a pipe, it waits for as long
/// as `patience`. Error "io", place = the path.
[[nodiscard]] Expected<std::string> read_file(const std::filesystem::path& path, std::size_t most = most_file_bytes,
                                              std::chrono::milliseconds patience = usual_patience);

/// All that comes from standard input, as read_file() reads it.
[[nodiscard]] Expected<std::string> read_standard_input();

/// Whether a file is on the disk, with its name, when it has been written.
enum class Synced { No, Yes };

/// Readers see the old content or the new, never a part of it, even if the program dies, or, with Synced::Yes, the
/// machine: the text is written under a temporary name in the same folder, then renamed. Missing folders are created.
/// Pipes and devices are written in place. Error "io", place = the path.
[[nodiscard]] Expected<void> write_file_atomically(const std::filesystem::path& path, std::string_view text,
                                                   Synced synced = Synced::Yes, mode_t mode = 0666);

/// Every file below a folder whose name ends in one of `endings` (".cu"), keyed by its path relative to the folder.
/// Hidden files and folders are left out. Each has at most most_text_bytes. Error "io" if the folder does not exist or
/// cannot be read.
[[nodiscard]] Expected<std::map<std::string, std::string>> read_folder(const std::filesystem::path& folder,
                                                                       std::span<const std::string_view> endings);

/// Whether the name leads to a pipe, a terminal or another device, or to what this program's standard output is: a file
/// in its place would take it from everybody else.
[[nodiscard]] bool is_written_in_place(const std::filesystem::path& path);

/// Writes into such a pipe or device. Errors "io": nobody opens the other end of the pipe, a disk, and those of
/// writing.
[[nodiscard]] Expected<void> write_in_place(const std::filesystem::path& path, std::string_view text,
                                            std::chrono::milliseconds patience = usual_patience);

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
/// take, and is removed with this object. What is written in place (is_written_in_place()) is only kept until then.
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
