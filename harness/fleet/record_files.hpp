#pragma once

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {

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
