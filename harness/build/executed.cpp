#include "build/executed.hpp"

#include <vector>

#include "build/flow.hpp"

namespace warpclock {

std::optional<std::int64_t> executed_instructions(const Listing& listing, int passes, int trips) {
  struct Loop {
    std::int64_t first, length;
  };
  std::vector<Loop> loops;  // the inner one first: it ends first
  const auto& code = listing.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto here = static_cast<std::int64_t>(i);
    if (code[i].opcode == "EXIT") {
      const bool nested = trips > 1;
      if (loops.size() != (nested ? 2U : 1U)) return std::nullopt;
      const Loop outer = loops.back(), inner = nested ? loops.front() : Loop{0, 0};
      if (nested && inner.first < outer.first) return std::nullopt;
      return here + 1 + outer.length * (passes - 1) + inner.length * (trips - 1) * passes;
    }
    if (!is_jump(code[i])) continue;
    const auto target = static_cast<std::int64_t>(target_index(listing, code[i]));
    const bool backward = target <= here;
    if (code[i].opcode != "BRA" || code[i].predicate.empty()) return std::nullopt;
    // Only what skips the whole loop may come before it.
    if (!backward && !loops.empty()) return std::nullopt;
    if (backward) loops.push_back({target, here + 1 - target});
  }
  return std::nullopt;
}

}  // namespace warpclock
