#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpclock {

/// How long trips of loops take when the loops have run for a while, by the issues of their first instructions.
class TripTimes {
 public:
  /// The first step of each loop, and its end.
  TripTimes(const std::vector<std::pair<std::size_t, std::size_t>>& loops, std::size_t steps, std::size_t warps);

  /// A warp issues a step at `now`, after the step `from`.
  void issued(std::size_t warp, std::size_t step, std::size_t from, double now) {
    if (!loop_at_.empty() && loop_at_[step] >= 0) begun(warp, static_cast<std::size_t>(loop_at_[step]), from, now);
  }
  /// Cycles of a trip of each loop, on average over all warps that went through it twice; 0 if none did.
  [[nodiscard]] std::vector<double> cycles();

 private:
  /// From a trip with about half the number of the last one on: their number, and when they began.
  struct Entry {
    std::int64_t trips = 0, earlier = 0, later = 0;
    double at_earlier = 0, at_later = 0, last = 0;
  };
  struct Sum {
    double cycles = 0;
    std::int64_t trips = 0;
  };
  void begun(std::size_t warp, std::size_t loop, std::size_t from, double now);
  void end(Entry& entry, Sum& sum);

  std::vector<std::pair<std::size_t, std::size_t>> loops_;
  std::vector<int> loop_at_;                 ///< by step; empty without loops
  std::vector<std::vector<Entry>> entries_;  ///< of each loop, by warp
  std::vector<Sum> sums_;
};

}  // namespace warpclock
