#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace warpclock {

/// `count` consecutive copies of the `length` lines from `first` on.
struct Repeat {
  std::size_t first = 0, length = 1, count = 1;

  bool operator==(const Repeat&) const = default;
};

/// The lines as blocks that cover them in order. A body that occurs several times in a row, character for character, is
/// one block. Bodies have at most `longest_body` lines.
[[nodiscard]] std::vector<Repeat> find_repeats(std::span<const std::string> lines);

constexpr std::size_t longest_body = 64;

}  // namespace warpclock
