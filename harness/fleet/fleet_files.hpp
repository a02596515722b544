#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fleet/fleet.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Why a GPU has no record: a file in the folder that its record would be in.
inline constexpr std::string_view failure_file = "failure.json";

/// Writes it; `gpu` is the GPU as it was asked for: a number or a UUID. Errors "io", "not-generated".
[[nodiscard]] Expected<void> write_failure(const std::filesystem::path& folder, const std::string& host,
                                           const std::string& gpu, const Error& error);

/// What it says. A file that cannot be read is a failure too.
[[nodiscard]] FleetFailure read_failure(const std::filesystem::path& path, const std::filesystem::path& fleet);

/// What there is to read of a fleet, each sorted by its path.
struct RecordFiles {
  std::vector<std::filesystem::path> records;   ///< every result and instruction table, packed or not
  std::vector<std::filesystem::path> failures;  ///< every failure_file
  std::vector<FleetFailure> unread;             ///< folders that cannot be listed, links that lead nowhere
};

/// The files in a folder and below. A link to a folder is followed, and each folder is read once, under the name that
/// has no link in it if there is one. Error "io" if there is no such folder or it cannot be listed.
[[nodiscard]] Expected<RecordFiles> find_record_files(const std::filesystem::path& folder);

}  // namespace warpclock
