#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "capture/capture.hpp"

namespace warpclock {

/// The parts of the folder that a capture is: the record, the cubins that it names by their hash, and what buffers
/// held.
inline constexpr const char* capture_record = "capture.json.gz";
inline constexpr const char* capture_code = "code";
inline constexpr const char* capture_data = "data";
/// While the program runs: what its processes see.
inline constexpr const char* capture_spool = "spool";

/// The record on one line; capture_schema() describes it.
[[nodiscard]] std::string to_json(const Capture& capture);
[[nodiscard]] std::string capture_schema();

/// Errors "json", "record" and "record-version", place = `place`.
[[nodiscard]] Expected<Capture> parse_capture(std::string_view text, const std::string& place);

/// The bytes that hex digits in lower case say; nothing if they say none.
[[nodiscard]] std::optional<std::string> bytes_of_hex(std::string_view text);

/// Whether a launch is not the program's, but of the empty kernel beside it (empty_kernel.hpp).
[[nodiscard]] bool is_beside(const Capture& capture, const CapturedLaunch& launch);

/// Whether a path is a capture: its folder, or the record in it.
[[nodiscard]] bool is_capture(const std::filesystem::path& path);

/// The folder of a capture that a user names by it or by its record.
[[nodiscard]] std::filesystem::path capture_folder(const std::filesystem::path& path);

/// Errors "io", "gzip" and those of parse_capture().
[[nodiscard]] Expected<Capture> read_capture(const std::filesystem::path& folder);

/// A file of code/ or data/, whose name is a hash of what it holds. Errors "io", and "record" if it holds something
/// else.
[[nodiscard]] Expected<std::string> read_kept(const std::filesystem::path& folder, const char* part,
                                              const std::string& hash);

}  // namespace warpclock
