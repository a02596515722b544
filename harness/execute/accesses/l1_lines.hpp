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

  struct Answer {
    std::uint32_t missing = 0;  ///< sectors that it did not have
    bool waits = false;         ///< whether some are missing, or were asked for in the same round
  };
  /// Loads sectors of a line in a round: loads of one round are taken to issue before any of them has its data.
  [[nodiscard]] Answer load(std::uint64_t line, std::uint32_t sectors, std::uint64_t round);

 private:
  struct Line {
    std::uint64_t number = 0;
    std::uint32_t sectors = 0, new_sectors = 0;  ///< new ones: of the round
    std::uint64_t round = 0;
  };
  std::size_t most_;
  std::list<Line> lines_;  ///< used last first
  std::unordered_map<std::uint64_t, std::list<Line>::iterator> at_;
};

}  // namespace warpclock
