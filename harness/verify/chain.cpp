#include "verify/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "verify/verdict.hpp"
#include "verify/waits.hpp"

namespace warpclock {
namespace {

using Producers = std::map<Register, std::vector<std::size_t>>;

std::vector<std::size_t> producers_of(const Producers& known, const std::vector<Register>& registers) {
  std::vector<std::size_t> found;
  for (const Register reg : registers) {
    const auto at = known.find(reg);
    if (at != known.end()) found.insert(found.end(), at->second.begin(), at->second.end());
  }
  sort_once(found);
  return found;
}

/// The number of targets on the longest path that ends (forward) or starts (backward) at each slot.
struct Depths {
  std::vector<std::int64_t> forward, backward;
};

/// Whether the chain may run through source operand `operand` of this slot; the guard comes after the last operand.
bool counts(const DefUse& uses, const ChainClaim& claim, std::size_t slot, std::size_t operand) {
  if (!claim.target[slot] || !claim.operand) return true;
  return operand < uses.effects[slot].sources.size() && static_cast<int>(operand) == *claim.operand;
}

Depths depths_of(const DefUse& uses, const ChainClaim& claim) {
  const std::size_t size = uses.effects.size();
  Depths depths{.forward = std::vector<std::int64_t>(size, 0), .backward = std::vector<std::int64_t>(size, 0)};
  const auto for_each_edge = [&](std::size_t slot, const auto& act) {
    for (std::size_t operand = 0; operand < uses.producers[slot].size(); ++operand) {
      if (!counts(uses, claim, slot, operand)) continue;
      for (const std::size_t producer : uses.producers[slot][operand]) act(producer - uses.first);
    }
  };
  for (std::size_t slot = 0; slot < size; ++slot) {
    for_each_edge(
        slot, [&](std::size_t from) { depths.forward[slot] = std::max(depths.forward[slot], depths.forward[from]); });
    depths.forward[slot] += claim.target[slot] ? 1 : 0;
  }
  for (std::size_t slot = size; slot-- > 0;) {
    depths.backward[slot] += claim.target[slot] ? 1 : 0;
    for_each_edge(slot, [&](std::size_t from) {
      depths.backward[from] = std::max(depths.backward[from], depths.backward[slot]);
    });
  }
  return depths;
}

/// A source of a target, other than the claimed one, that depends on a target.
std::optional<std::string> side_entrance(const Listing& listing, const DefUse& uses, const ChainClaim& claim,
                                         const Depths& depths) {
  for (std::size_t slot = 0; slot < uses.effects.size(); ++slot) {
    for (std::size_t operand = 0; operand < uses.producers[slot].size(); ++operand) {
      if (counts(uses, claim, slot, operand)) continue;
      for (const std::size_t producer : uses.producers[slot][operand]) {
        if (depths.forward[producer - uses.first] == 0) continue;
        const bool guard = operand == uses.effects[slot].sources.size();
        return fmt::format("{} depends through its {} on {}, and not only through source operand {}",
                           cite(listing, uses.first + slot),
                           guard ? std::string("predicate") : fmt::format("source operand {}", operand),
                           cite(listing, producer), claim.operand.value_or(0));
      }
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> path_to(std::size_t slot, const DefUse& uses, const ChainClaim& claim, const Depths& depths) {
  std::vector<std::size_t> path;
  for (bool more = true; more;) {
    if (claim.target[slot]) path.push_back(uses.first + slot);
    const std::int64_t wanted = depths.forward[slot] - (claim.target[slot] ? 1 : 0);
    more = false;
    for (std::size_t operand = 0; wanted > 0 && operand < uses.producers[slot].size() && !more; ++operand) {
      if (!counts(uses, claim, slot, operand)) continue;
      for (const std::size_t producer : uses.producers[slot][operand]) {
        if (depths.forward[producer - uses.first] != wanted) continue;
        slot = producer - uses.first;
        more = true;
        break;
      }
    }
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace

DefUse def_use(const Listing& listing, std::size_t first, std::size_t last) {
  DefUse uses{.first = first, .effects = {}, .producers = {}};
  Producers known;
  for (std::size_t index = first; index < last; ++index) {
    Effects effects = effects_of(listing.instructions[index]);
    auto producers = mapped(effects.sources, [&](const auto& source) { return producers_of(known, source); });
    producers.push_back(producers_of(known, effects.guard));
    for (const Register reg : effects.writes) {
      if (!effects.conditional) known[reg].clear();
      known[reg].push_back(index);
    }
    uses.effects.push_back(std::move(effects));
    uses.producers.push_back(std::move(producers));
  }
  return uses;
}

std::expected<std::vector<std::size_t>, std::string> find_chain(const Listing& listing, const DefUse& uses,
                                                                const ChainClaim& claim) {
  const Depths depths = depths_of(uses, claim);
  if (claim.operand) {
    if (auto text = side_entrance(listing, uses, claim, depths)) return std::unexpected(*text);
  }
  std::optional<std::size_t> last;
  for (std::size_t slot = 0; slot < uses.effects.size(); ++slot) {
    if (!claim.target[slot]) continue;
    const std::int64_t length = depths.forward[slot] + depths.backward[slot] - 1;
    if (length != claim.depth) {
      const std::string through = claim.operand ? fmt::format(" through source operand {}", *claim.operand) : "";
      return std::unexpected(fmt::format("{} is in a chain of {} dependent targets{} instead of {}",
                                         cite(listing, uses.first + slot), length, through, claim.depth));
    }
    if (depths.forward[slot] == claim.depth) last = slot;
  }
  if (!last) return std::vector<std::size_t>{};
  return path_to(*last, uses, claim, depths);
}

int issue_distance(const Control& control) {
  const int least = control.yield ? 2 : 1;
  return std::max(control.stall, least);
}

std::optional<Distance> encoded_distance(const Listing& listing, const std::vector<std::size_t>& path, std::int64_t n) {
  const auto links = static_cast<std::int64_t>(path.size());
  if (n < 2 || links < n || links % n != 0) return std::nullopt;
  // A warpgroup multiply completes with its group: its control fields say when the next instruction may issue, not when
  // it is done.
  if (is_group_multiply(listing.instructions[path.front()].opcode)) return std::nullopt;
  Distance distance;
  const std::size_t end = path[static_cast<std::size_t>((n - 1) * (links / n))];
  for (std::size_t i = path.front(); i < end; ++i) {
    if (listing.instructions[i + 1].control.wait_mask != 0) return std::nullopt;
    distance.stalls += issue_distance(listing.instructions[i].control);
  }
  distance.waits = waited_cycles(listing, path.front(), end);
  distance.stalls /= static_cast<double>(n - 1);
  distance.waits /= static_cast<double>(n - 1);
  return distance;
}

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
