#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "verify/claims.hpp"
#include "verify/wording.hpp"

namespace warpclock {
namespace {

std::int64_t targets(const Claim& claim) { return std::ranges::count(claim.window->target, true); }

std::string count_fact(const Claim& claim) {
  return fmt::format("{} occurs {} in the window instead of {}", join(claim.expect.target, " or "),
                     times(targets(claim)), times(claim.count));
}

constexpr const char* folded_hint =
    ": ptxas folded the repetition (is an operand uniform, constant or idempotent, or the result unused?)";

/// Why a target does not occur: a hint, or the opcode that occurs as often as claimed.
std::string why_nowhere(const Claim& claim) {
  std::map<std::string, std::int64_t> counts;
  for (std::size_t i = claim.window->open + 1; i < claim.window->close; ++i)
    ++counts[claim.listing.instructions[i].name()];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  if (most != counts.end() && most->second == claim.count)
    return fmt::format("; {} occurs {}: is that the target?", most->first, times(most->second));
  return folded_hint;
}

}  // namespace

std::optional<std::string> repetition(const Claim& claim) {
  if (claim.expect.target.empty()) return std::nullopt;
  const std::int64_t found = targets(claim);
  if (found >= claim.count || !(found == 0 || (found == 1 && claim.count > 2))) return std::nullopt;
  return count_fact(claim) + (found == 0 ? why_nowhere(claim) : folded_hint);
}

std::optional<std::string> all_links(const Claim& claim) {
  const std::int64_t found = targets(claim);
  const bool claimed = claim.expect.chain && !claim.expect.target.empty();
  if (!claimed || found + 1 >= claim.count || found * 2 > claim.count) return std::nullopt;
  return count_fact(claim) +
         ": the compiler re-associated or merged the links of the chain, or `count` claims too many";
}

std::optional<std::string> exact_count(const Claim& claim) {
  if (claim.expect.target.empty() || targets(claim) == claim.count) return std::nullopt;
  return count_fact(claim);
}

}  // namespace warpclock
