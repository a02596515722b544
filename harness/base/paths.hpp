#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// Where compiled code is kept between runs: $WARPCLOCK_CACHE, $XDG_CACHE_HOME/warpclock, ~/.cache/warpclock, else a
/// folder of this user below the temporary one. Not created here. A relative XDG_CACHE_HOME is ignored (XDG Base
/// Directory Specification).
[[nodiscard]] std::filesystem::path cache_dir();

/// All bytes of a file. Error "io", place = the path.
[[nodiscard]] Expected<std::string> read_file(const std::filesystem::path& path);

/// Readers see the old content or the new, never a part, also when the program or the machine dies: a temporary name in
/// the same folder, fsync, rename. Missing folders are made. Error "io", place = the path.
[[nodiscard]] Expected<void> write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Every file below a folder whose name ends in one of `endings` (".cu"), by its path relative to the folder. Hidden
/// files and folders are left out. Error "io" when the folder does not exist or cannot be read.
[[nodiscard]] Expected<std::map<std::string, std::string>> read_folder(const std::filesystem::path& folder,
                                                                       std::span<const std::string_view> endings);

}  // namespace warpclock
