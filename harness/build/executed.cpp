#include "build/executed.hpp"

#include "build/flow.hpp"

namespace warpclock {

std::optional<std::int64_t> executed_instructions(const Listing& listing, int passes) {
  std::optional<std::int64_t> before, loop;
  const auto& code = listing.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto here = static_cast<std::int64_t>(i);
    if (code[i].opcode == "EXIT") {
      if (!loop) return std::nullopt;
      return *before + *loop * passes + (here + 1 - *before - *loop);
    }
    if (!is_jump(code[i])) continue;
    const auto target = static_cast<std::int64_t>(target_index(listing, code[i]));
    const bool backward = target <= here;
    if (loop || code[i].opcode != "BRA" || (backward && code[i].predicate.empty())) return std::nullopt;
    // Only what skips the whole loop may come before it.
    if (!backward && code[i].predicate.empty()) return std::nullopt;
    if (!backward) continue;
    before = target;
    loop = here + 1 - target;
  }
  return std::nullopt;
}

}  // namespace warpclock
