#include "predict/program/fetch_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "code/word.hpp"
#include "execute/bank_turns.hpp"

namespace warpclock {

/// By the loops of one warp of `issue/code`: of the level that the nearest cache holds, of the next one, and of the
/// longest. By the jumps of `issue/jump`.
FetchCost fetch_cost(const Machine& machine, bool cold) {
  constexpr double instructions = static_cast<double>(line_bytes) / word_bytes, lines_of_kib = 1024.0 / line_bytes;
  const Leaf* const nearest = find_leaf(machine, "capacities/code/nearest");
  std::map<int, double> intervals;
  for (const int kib : {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256}) {
    if (const Leaf* row = find_leaf(machine, fmt::format("capacities/code.kib_{}/interval", kib)))
      intervals[kib] = row->value;
  }
  if (nearest == nullptr || intervals.empty() || intervals.begin()->first > nearest->value) return {};
  const auto beyond = intervals.upper_bound(static_cast<int>(nearest->value));
  const double held = std::prev(beyond)->second, far = intervals.rbegin()->second;
  FetchCost cost{.nearest_lines = nearest->value * lines_of_kib, .cold = cold};
  // The curve is steep where a part of the loop is held: the row after it has all from the next cache.
  double second = 0;
  for (auto one = beyond; one != intervals.end(); ++one)
    if (one->second < (held + far) / 2)
      second = std::max(second, one->second), cost.second_lines = one->first * lines_of_kib;
  cost.second = instructions * second;
  cost.far = instructions * far;
  // After each jump, the lines that follow are fetched as well. So 32 jumps over 16 KiB are in the nearest cache, 64
  // over 128 KiB in the next one, and 128 over 256 KiB in neither.
  const auto jump = [&](const char* name) {
    return find_leaf(machine, fmt::format("capacities/code.jump_{}/interval", name));
  };
  const Leaf *const close = jump("32_32"), *const next = jump("128_64"), *const none = jump("128_128");
  if (close != nullptr && next != nullptr && none != nullptr) {
    cost.second_jump = std::max(0.0, next->value - close->value);
    cost.far_jump = std::max(cost.second_jump, none->value - close->value);
  }
  return cost;
}

}  // namespace warpclock
