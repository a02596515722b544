#include "predict/simulation/used_constants.hpp"

#include <algorithm>

namespace warpclock {

double UsedConstants::ready(const ConstantReads& reads, std::size_t part, double now) {
  auto& held = reads.loads ? of_loads_ : of_parts_[part];
  double ready = now;
  for (const std::uint32_t line : reads.lines)
    ready = std::max(ready, held.try_emplace(line, now + missed_).first->second);
  return ready;
}

}  // namespace warpclock
