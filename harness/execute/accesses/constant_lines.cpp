#include "execute/accesses/constant_lines.hpp"

#include <algorithm>

namespace warpclock {

ConstantLines::ConstantLines(const ConstantCache& cache)
    : ways_(cache.sets > 0 ? cache.lines / cache.sets : 0), sets_(cache.sets) {}

bool ConstantLines::load(std::uint64_t line) {
  if (ways_ == 0) return false;
  std::vector<std::uint64_t>& set = sets_[line % sets_.size()];
  const auto found = std::ranges::find(set, line);
  const bool held = found != set.end();
  if (held)
    set.erase(found);
  else if (set.size() == ways_)
    set.erase(set.begin());
  set.push_back(line);
  return held;
}

}  // namespace warpclock
