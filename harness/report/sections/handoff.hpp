#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "record/record.hpp"
#include "report/numbers/kernel_design.hpp"

namespace warpclock {

/// What one hand-over takes: half of the way there and back.
struct Handoff {
  std::string within, by;
  double cycles = 0;                ///< of the shortest case
  double longest = 0;               ///< and of the longest
  const CaseRecord* row = nullptr;  ///< the shortest
  std::size_t cases = 0;
};

struct Handoffs {
  std::vector<Handoff> measured;  ///< in the order of the sources' places, each from the shortest on
  /// Mechanisms of which no case was measured, "mbarrier_try, cluster", and one of these cases.
  std::vector<std::pair<std::string, const CaseRecord*>> missing;
};

/// Points into `record`. Pure.
[[nodiscard]] Handoffs handoffs(const std::vector<HandoffSource>& sources, const Record& record);

}  // namespace warpclock
