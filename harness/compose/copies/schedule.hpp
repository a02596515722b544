#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "compose/copies/body.hpp"
#include "compose/filling.hpp"

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

/// The copies in the order in which they issue, with their stall counts. Every copy issues the same number of cycles
/// after the one before, and each of its words at the same time of that period. Words of several copies overlap. Where
/// scoreboards decide, only the order is fixed in advance, and each word issues as soon as the distances and the pipes
/// allow. Loads, stores and fences of a copy keep their order. Inside a copy the distances are those of ptxas, but
/// after ALU and FMA instructions, and where other instructions were in between, they are the least that a result
/// needs. `copies` are in the order of the body's words, one copy after another. `chained`: each copy waits for the one
/// before it. Error "compose" if the copies wait for each other.
[[nodiscard]] Expected<std::vector<Copy>> scheduled(const Body& body, std::vector<Copy> copies, bool chained);

}  // namespace warpclock
