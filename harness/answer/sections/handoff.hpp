#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "answer/numbers/kernel_design.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The cost of one hand-off: half of a round trip.
struct Handoff {
  std::string within, by;
  double cycles = 0;                ///< of the shortest case
  double longest = 0;               ///< of the longest case
  const CaseRecord* row = nullptr;  ///< the shortest case
  std::size_t cases = 0;
};

struct Handoffs {
  std::vector<Handoff> measured;  ///< in the order of the sources, each from the shortest on
  /// Mechanisms without a measured case, "mbarrier_try, cluster", each with one of its cases.
  std::vector<std::pair<std::string, const CaseRecord*>> missing;
};

/// Points into `record`. Pure.
[[nodiscard]] Handoffs handoffs(const std::vector<HandoffSource>& sources, const Record& record);

}  // namespace warpclock
