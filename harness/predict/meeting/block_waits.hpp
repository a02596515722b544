#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace warpclock {

/// Which blocks of a launch wait for what others store. Those that a block waits for are told of before it.
class BlockWaits {
 public:
  /// A warp of the block has executed the instructions from one index to another.
  void ran(std::uint64_t block, std::uint32_t first, std::uint32_t last);
  /// It has stored what others may wait for.
  void stored(std::uint64_t block);
  /// It loads what another block has stored, by the number of that store.
  void looked(std::uint64_t block, std::uint64_t other, std::uint64_t number);

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] std::uint64_t instructions(std::uint64_t block) const;

  struct Pace {
    std::span<const double> cycles;  ///< of a warp for each instruction, by index
    double warps = 1;                ///< of a block
    std::uint64_t slots = 1;         ///< blocks that run at once
    double handed = 0;               ///< cycles until a store is seen
  };
  /// By what factor the launch takes longer than if no block waited.
  [[nodiscard]] double longer(const Pace& pace) const;

 private:
  using Runs = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;
  struct Look {
    std::size_t at = 0, other = 0;  ///< after so many parts; in `blocks_`
    std::uint64_t number = 0;
  };
  struct Block {
    std::vector<Runs> parts{1};  ///< what its warps execute, parted by its stores and looks
    std::vector<std::size_t> stores;
    std::vector<Look> looks;
  };
  Block& of(std::uint64_t number);
  [[nodiscard]] double length(const Pace& pace, const std::vector<double>& before, bool waits) const;

  std::vector<Block> blocks_;  ///< in the order in which they were told of
  std::map<std::uint64_t, std::size_t> by_number_;
  bool any_ = false;
};

}  // namespace warpclock
