#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace warpclock {

/// The lines that L1 keeps: of 128 bytes, of which it has the sectors that were asked for. The line that was used
/// longest ago makes room for a new one, an assumption.
class L1Lines {
 public:
  explicit L1Lines(std::size_t most_lines) : most_(most_lines) {}

  /// Loads sectors of a line, and returns those that it did not have.
  [[nodiscard]] std::uint32_t load(std::uint64_t line, std::uint32_t sectors);

 private:
  struct Line {
    std::uint64_t number = 0;
    std::uint32_t sectors = 0;
  };
  std::size_t most_;
  std::list<Line> lines_;  ///< used last first
  std::unordered_map<std::uint64_t, std::list<Line>::iterator> at_;
};

}  // namespace warpclock
