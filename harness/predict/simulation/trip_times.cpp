#include "predict/simulation/trip_times.hpp"

namespace warpclock {

TripTimes::TripTimes(const std::vector<std::pair<std::size_t, std::size_t>>& loops, std::size_t steps,
                     std::size_t warps)
    : loops_(loops), entries_(loops.size(), std::vector<Entry>(warps)), sums_(loops.size()) {
  if (loops.empty()) return;
  loop_at_.assign(steps, -1);
  for (std::size_t i = 0; i < loops.size(); ++i) loop_at_.at(loops[i].first) = static_cast<int>(i);
}

void TripTimes::begun(std::size_t warp, std::size_t loop, std::size_t from, double now) {
  Entry& entry = entries_[loop][warp];
  const auto& [first, end] = loops_[loop];
  if (from < first || from >= end) this->end(entry, sums_[loop]);
  if (++entry.trips == 1 || entry.trips == 2 * entry.later) {
    entry.earlier = entry.trips == 1 ? 1 : entry.later, entry.at_earlier = entry.trips == 1 ? now : entry.at_later;
    entry.later = entry.trips, entry.at_later = now;
  }
  entry.last = now;
}

void TripTimes::end(Entry& entry, Sum& sum) {
  sum.cycles += entry.last - entry.at_earlier;
  sum.trips += entry.trips - entry.earlier;
  entry = {};
}

std::vector<double> TripTimes::cycles() {
  std::vector<double> each;
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    for (Entry& entry : entries_[loop]) end(entry, sums_[loop]);
    const Sum& sum = sums_[loop];
    each.push_back(sum.trips > 0 ? sum.cycles / static_cast<double>(sum.trips) : 0);
  }
  return each;
}

}  // namespace warpclock
