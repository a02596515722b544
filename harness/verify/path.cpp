#include "verify/path.hpp"

#include <algorithm>

#include "code/modifiers.hpp"

namespace warpclock {

std::vector<std::size_t> longest_path(const Listing& listing, std::size_t first, std::size_t last) {
  const DefUse uses = def_use(listing, first, last);
  const std::size_t size = uses.effects.size();
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> length(size, 1), before(size, none);
  std::size_t call = none, deepest = none, reduction = none;
  for (std::size_t slot = 0; slot < size; ++slot) {
    const Instruction& one = listing.instructions[first + slot];
    const bool calls = one.opcode == "CALL";
    const auto follow = [&](std::size_t from) {
      if (from == none || length[from] + 1 <= length[slot]) return;
      length[slot] = length[from] + 1;
      before[slot] = from;
    };
    for (const auto& operand : uses.producers[slot]) {
      for (const std::size_t producer : operand) follow(producer - first);
    }
    follow(calls ? deepest : call);
    if (one.opcode == "B2R" && has_modifier(one, "RESULT")) follow(reduction);
    if (one.opcode == "BAR" && has_modifier(one, "RED")) reduction = slot;
    if (calls) call = slot;
    if (deepest == none || length[slot] > length[deepest]) deepest = slot;
  }
  std::vector<std::size_t> path;
  for (std::size_t slot = deepest; slot != none; slot = before[slot]) path.push_back(first + slot);
  std::ranges::reverse(path);
  return path;
}

std::set<std::size_t> unread_results(const DefUse& uses) {
  std::set<std::size_t> unread;
  for (std::size_t slot = 0; slot < uses.effects.size(); ++slot) {
    for (const auto& operand : uses.producers[slot]) {
      for (const std::size_t producer : operand) unread.erase(producer);
    }
    if (uses.effects[slot].writes.empty()) continue;
    // The next instruction that writes the register waits for this write.
    std::erase_if(unread, [&](std::size_t earlier) {
      return std::ranges::any_of(uses.effects[earlier - uses.first].writes,
                                 [&](Register reg) { return uses.effects[slot].writes_to(reg); });
    });
    unread.insert(uses.first + slot);
  }
  return unread;
}

}  // namespace warpclock
