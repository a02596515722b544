#pragma once

#include <filesystem>

#include "base/error.hpp"

namespace warpclock {

/// Makes a folder, with those above it that are missing, that only this user can enter; or makes sure of an existing
/// one that nobody else can put files into it. A link is followed if it is this user's or root's. Errors "io", and
/// "foreign": it belongs to another user, or others may write into it.
[[nodiscard]] Expected<void> private_folder(const std::filesystem::path& path);

}  // namespace warpclock
