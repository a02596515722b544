#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// Writes a file that a person named, as write_marked() does. Error "write" if its folder does not exist: a misspelt
/// path makes no folders.
[[nodiscard]] Expected<void> write_named(const std::string& path, std::string_view text);

}  // namespace warpclock
