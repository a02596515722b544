#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace warpclock {

/// "result.json" of "result.json.gz" and of itself.
[[nodiscard]] std::filesystem::path without_gz(const std::filesystem::path& path);

/// Whether there is a file at `path`, or one whose name is `path` with or without ".gz".
[[nodiscard]] bool has_packed_file(const std::filesystem::path& path);

/// What that file holds: unpacked where its first two bytes say that it is gzip data. Errors as read_file() and
/// gunzip(), place = the path that was read.
[[nodiscard]] Expected<std::string> read_packed_file(const std::filesystem::path& path);

}  // namespace warpclock
