#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "fleet/fleet.hpp"

namespace warpclock {

/// Why a GPU has no record: a file in the folder that its record would be in.
inline constexpr std::string_view failure_file = "failure.json";

/// Writes it; `gpu` is the GPU as it was asked for: a number or a UUID. Errors "io", "not-generated".
[[nodiscard]] Expected<void> write_failure(const std::filesystem::path& folder, const std::string& host,
                                           const std::string& gpu, const Error& error);

/// What it says. A file that cannot be read is a failure too.
[[nodiscard]] FleetFailure read_failure(const std::filesystem::path& path, const std::filesystem::path& fleet);

}  // namespace warpclock
