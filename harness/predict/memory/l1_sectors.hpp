#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "predict/memory/lane_value.hpp"

namespace warpclock {

/// Sectors of each warp of a block.
using WarpSectors = std::set<std::pair<int, std::uint32_t>>;

/// What L1 has of the global accesses of a basic block so far. Sectors are numbered from the base of an address, so
/// only those of equal bases are the same.
class L1Sectors {
 public:
  using Bases = std::vector<LaneRef>;

  void clear() { loaded_.clear(), stores_.clear(); }

  /// What was loaded. Warps whose addresses have the same base count as the first one.
  [[nodiscard]] WarpSectors& loaded(const Bases& bases) { return loaded_[bases]; }

  /// Adds a store of so many lines a warp, and returns how many of its sectors leave L1 together with an earlier
  /// store.
  [[nodiscard]] std::size_t store(const Bases& bases, WarpSectors sectors, double lines);

 private:
  struct Store {
    Bases bases;
    WarpSectors sectors;
    double lines = 0;
  };
  std::map<Bases, WarpSectors> loaded_;
  std::vector<Store> stores_;
};

}  // namespace warpclock
