#include "verify/instruction/sharing.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/lookup.hpp"
#include "verify/instruction/role.hpp"

namespace warpclock {
std::int64_t count_of(const Kinds& kinds, const std::string& kind) { return value_or(kinds, kind, 0); }

std::string list(const Kinds& kinds) {
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", count == 1 ? "" : fmt::format("{} x ", count), kind);
  }
  return text;
}

std::optional<std::string> uneven_sharing(const std::string& kind, const std::vector<Kinds>& counts,
                                          const std::vector<std::int64_t>& copies) {
  const std::int64_t total = count_of(counts.back(), kind) - count_of(counts.front(), kind);
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const std::int64_t more = count_of(counts[i], kind) - count_of(counts[i - 1], kind),
                       further = copies[i] - copies[i - 1];
    const std::int64_t expected = total * further / (copies.back() - copies.front());
    if (std::abs(more - expected) < further) continue;
    return fmt::format(
        "{} more copies add {} x {} to the window, where over all windows it is {}: the compiler prepares "
        "an operand once in one and for each copy in another",
        further, more, kind, expected);
  }
  return std::nullopt;
}

std::string sharing_note(const Kinds& shared, const Kinds& skipped, const std::vector<Kinds>& counts,
                         const std::vector<std::int64_t>& copies) {
  Kinds once, sometimes;
  for (const auto& [kind, missing] : shared) {
    const std::int64_t more = count_of(counts.back(), kind) - count_of(counts.front(), kind);
    (more % (copies.back() - copies.front()) <= most_loose ? once : sometimes)[kind] = missing;
  }
  std::string note;
  const auto say = [&](const Kinds& kinds, std::string_view what) {
    if (!kinds.empty()) note += (note.empty() ? "" : "; ") + list(kinds) + std::string(what);
  };
  say(once, " is done once for all copies");
  say(sometimes, " is the same for all copies, and not done for each");
  say(skipped, " is done for the last copy alone: the chain does not read its result");
  return note;
}

}  // namespace warpclock
