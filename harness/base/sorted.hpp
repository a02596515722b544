#pragma once

#include <algorithm>
#include <vector>

namespace warpclock {

/// Sorts, and keeps one of several equal ones.
template <class T>
void sort_once(std::vector<T>& all) {
  std::ranges::sort(all);
  const auto [first, last] = std::ranges::unique(all);
  all.erase(first, last);
}

}  // namespace warpclock
