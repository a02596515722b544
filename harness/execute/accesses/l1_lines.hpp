#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpclock {

/// The lines that L1 keeps: of 128 bytes, of which it has the sectors that were asked for. One of those that were not
/// used lately makes room for a new one (docs/findings.md, "L1 gives up lines that were not used lately").
class L1Lines {
 public:
  explicit L1Lines(std::size_t most_lines) : most_(most_lines) {}

  struct Answer {
    std::uint32_t missing = 0;  ///< sectors that it did not have
    bool waits = false;         ///< whether some are missing, or were asked for in the same round
  };
  /// Loads sectors of a line in a round: loads of one round are taken to issue before any of them has its data.
  [[nodiscard]] Answer load(std::uint64_t line, std::uint32_t sectors, std::uint64_t round);
  /// Stores to sectors of a line, which then has them.
  void store(std::uint64_t line, std::uint32_t sectors);

 private:
  struct Line {
    std::uint64_t number = 0, round = 0;
    std::uint32_t sectors = 0, new_sectors = 0;  ///< new ones: of the round
    bool used = false;                           ///< since all of them were
  };
  Line& held(std::uint64_t line);
  /// Where there is room for another one.
  std::size_t room();

  std::size_t most_, used_ = 0;
  std::vector<Line> lines_;
  std::unordered_map<std::uint64_t, std::size_t> at_;
  std::uint32_t chosen_ = 1;
};

}  // namespace warpclock
