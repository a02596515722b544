#include "predict/memory/l1_sectors.hpp"

#include <algorithm>
#include <iterator>

namespace warpclock {

std::size_t L1Sectors::load(const Bases& bases, const std::vector<WarpSector>& sectors) {
  std::set<WarpSector>& before = loaded_[bases];
  const std::size_t known = before.size();
  before.insert(sectors.begin(), sectors.end());
  return before.size() - known;
}

std::size_t L1Sectors::store(const Bases& bases, std::vector<WarpSector> sectors, double lines) {
  // L1 sends two stores that fill a sector together as one if those between them have no more lines.
  // `bandwidth/write_halves`: a store has two lines, and eight may be between, but not sixteen. Other warps are taken
  // to store at other times.
  constexpr double most_between = 16;
  std::set<WarpSector> merged;
  double between = 0;
  for (auto earlier = stores_.rbegin(); earlier != stores_.rend() && between <= most_between; ++earlier) {
    if (earlier->bases == bases)
      std::ranges::set_intersection(sectors, earlier->sectors, std::inserter(merged, merged.end()));
    between += earlier->lines;
  }
  stores_.push_back({bases, std::move(sectors), lines});
  return merged.size();
}

}  // namespace warpclock
