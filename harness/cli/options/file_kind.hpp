#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// "a cubin, library or program, which `warpclock inspect` reads": what a file is and who reads it; empty if unknown.
[[nodiscard]] std::string file_kind(std::string_view bytes);

/// The error of a command that could not read a file, with what the file is, unless `command` reads that.
[[nodiscard]] Error with_file_kind(Error error, const std::string& path, std::string_view command);

}  // namespace warpclock
