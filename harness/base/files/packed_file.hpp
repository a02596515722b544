#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// "result.json" of "result.json.gz" and of itself.
[[nodiscard]] std::filesystem::path without_gz(const std::filesystem::path& path);

/// `path`, or if there is no such file, the one whose name is `path` with or without ".gz".
[[nodiscard]] std::filesystem::path packed_path(const std::filesystem::path& path);

[[nodiscard]] bool has_packed_file(const std::filesystem::path& path);

/// The most bytes of a record, packed or not. The largest committed one has 10 MB.
inline constexpr std::size_t most_record_bytes = std::size_t{256} << 20;

/// What the file at packed_path() holds: unpacked where its first two bytes say that it is gzip data. The file has at
/// most `most` bytes, and what it unpacks to most_record_bytes. Errors as read_file() and gunzip(), place = the path
/// that was read.
[[nodiscard]] Expected<std::string> read_packed_file(const std::filesystem::path& path,
                                                     std::size_t most = most_record_bytes);

/// One member of RFC 1952 with no file name and no time: equal bytes give equal files. The bytes are the same with zlib
/// 1.2.11 to 1.3.1; another implementation (zlib-ng) makes others, which unpack to the same.
[[nodiscard]] std::string gzip_compress(std::string_view bytes);

/// What one member of RFC 1952 holds. Code "gzip" for anything that is not exactly that, or that holds more than `most`
/// bytes: a small file can unpack to any size.
[[nodiscard]] Expected<std::string> gunzip(std::string_view member, std::size_t most = most_record_bytes);

}  // namespace warpclock
