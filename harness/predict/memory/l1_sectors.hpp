#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "predict/memory/lane_value.hpp"

namespace warpclock {

/// A sector of a warp of the block.
using WarpSector = std::pair<int, std::uint32_t>;

/// What L1 has of the global accesses of a basic block so far. Sectors are numbered from the base of an address, so
/// only those of equal bases are the same.
class L1Sectors {
 public:
  using Bases = std::vector<LaneRef>;

  void clear() { loaded_.clear(), stores_.clear(); }

  /// Adds a load, and returns how many of its sectors were not loaded before. Warps whose addresses have the same base
  /// count as the first one.
  [[nodiscard]] std::size_t load(const Bases& bases, const std::vector<WarpSector>& sectors);

  /// Adds a store of sorted sectors and of so many lines a warp, and returns how many of the sectors leave L1 together
  /// with an earlier store.
  [[nodiscard]] std::size_t store(const Bases& bases, std::vector<WarpSector> sectors, double lines);

 private:
  struct Store {
    Bases bases;
    std::vector<WarpSector> sectors;
    double lines = 0;
  };
  std::map<Bases, std::set<WarpSector>> loaded_;
  std::vector<Store> stores_;
};

}  // namespace warpclock
