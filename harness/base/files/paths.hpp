#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files/node.hpp"

namespace warpclock {

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

}  // namespace warpclock
