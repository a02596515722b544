#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpclock {

/// The nearest constant cache, taken to be one for all warps of an SM: sets of lines, of which the one that was used
/// longest ago makes room. `memory/constant_chase` on an H100 and an H200 is that of 8 sets of 4 lines of 64 bytes: of
/// 33, 36 and 40 such lines in turn, 5, 20 and all miss.
struct ConstantCache {
  static constexpr std::uint64_t line_bytes = 64;
  std::size_t lines = 0, sets = 0;  ///< 0: not measured

  bool operator==(const ConstantCache&) const = default;
};

class ConstantLines {
 public:
  /// A cache that was not measured has no line.
  explicit ConstantLines(const ConstantCache& cache);

  /// Returns whether the line was there; then it is.
  bool load(std::uint64_t line);

 private:
  std::size_t ways_;
  std::vector<std::vector<std::uint64_t>> sets_;  ///< the line that was used last is the last one
};

}  // namespace warpclock
