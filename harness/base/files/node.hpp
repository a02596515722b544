#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// How long is waited for a program at the other end of a pipe.
inline constexpr std::chrono::milliseconds usual_patience{5000};

/// Whether the name leads to a pipe, a terminal or another device, or to what this program's standard output is: a file
/// in its place would take it from everybody else.
[[nodiscard]] bool is_written_in_place(const std::filesystem::path& path);

/// Writes into such a pipe or device. Errors "io": nobody opens the other end of the pipe, a disk, and those of
/// writing.
[[nodiscard]] Expected<void> write_in_place(const std::filesystem::path& path, std::string_view text,
                                            std::chrono::milliseconds patience = usual_patience);

}  // namespace warpclock
