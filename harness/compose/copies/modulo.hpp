#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace warpclock {

/// Word `to` issues at least `cycles` after word `from` of the copy that is `copies` earlier.
struct IssueDependence {
  std::size_t from = 0, to = 0;
  int copies = 0;
  int cycles = 0;
};

/// A word as far as its issue is concerned: it keeps its pipe busy for so many cycles.
struct IssueSlot {
  std::string_view pipe;
  int busy = 1;
};

/// A schedule that repeats: word i of copy k issues at `at[i]` + k * `period` cycles.
struct PeriodicSchedule {
  int period = 0;
  std::vector<int> at;
};

/// The smallest period that the dependences allow, as if any number of words could issue at once. Nothing if a word
/// waits for itself.
[[nodiscard]] std::optional<int> least_period(std::size_t words, const std::vector<IssueDependence>& dependences);

/// Iterative modulo scheduling (B. R. Rau, MICRO-27, 1994): one word issues per cycle, and no pipe is asked for while
/// it is busy. Nothing if no period below four times the least one has such a schedule.
[[nodiscard]] std::optional<PeriodicSchedule> periodic_schedule(const std::vector<IssueSlot>& words,
                                                                const std::vector<IssueDependence>& dependences);

}  // namespace warpclock
