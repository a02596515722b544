#include "verify/instruction/linkage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/lookup.hpp"
#include "verify/chain.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

bool is_link_kind(const std::string& kind) {
  constexpr std::array<std::string_view, 9> exact{
      "move", "integer add", "integer add with carry", "LOP3", "LOP3 xor-and", "shift left", "select", "PRMT", "LEA"};
  constexpr std::array<std::string_view, 9> families{"ISETP", "SHF",  "P2R",  "R2P", "PLOP3",
                                                     "LEA",   "IMAD", "R2UR", "CS2R"};
  if (contains(exact, kind)) return true;
  return std::ranges::any_of(families, [&](std::string_view family) { return kind.starts_with(family); });
}

bool needs_no_wait(const std::string& kind) {
  return is_link_kind(kind) || kind.starts_with("UMOV") || kind.starts_with("UR2UP") || kind.starts_with("UPLOP3");
}

bool is_loop_control(const std::string& kind) {
  constexpr std::array<std::string_view, 6> kinds{"BAR.SYNC", "BRA", "UIADD3", "UISETP", "UPLOP3", "VIADD"};
  return std::ranges::any_of(kinds, [&](std::string_view start) { return kind.starts_with(start); });
}

bool is_filler(const std::string& kind) {
  constexpr std::array<std::string_view, 5> frames{"BRA", "BSSY", "BSYNC", "BREAK", "WARPSYNC"};
  if (kind == "move" || kind == "half arithmetic") return true;
  return std::ranges::any_of(frames, [&](std::string_view frame) { return kind.starts_with(frame); });
}

bool is_preparation(const std::string& kind) {
  constexpr std::array<std::string_view, 9> kinds{"PRMT", "move", "UMOV", "ULDC", "LDC", "S2R", "S2UR", "R2UR", "SGXT"};
  return std::ranges::any_of(kinds, [&](std::string_view start) { return kind.starts_with(start); });
}

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

namespace {

constexpr std::int64_t most_at_edges = 2;

/// The longest path of the largest window, and the number of its instructions per copy.
struct Path {
  std::vector<std::size_t> indices;
  std::size_t step = 0;
  bool even = true;  ///< every copy lengthens the path equally
};

Expected<Path> path_through(const Copies& copies) {
  std::optional<std::int64_t> step;
  Path path;
  // If a copy has several instructions there are several chains, and the longest may change from copy to copy.
  const bool loose = copies.uneven || (total(copies.expansion.kinds) > 1 && (copies.links.empty() || copies.block));
  for (std::size_t i = 0; i < copies.kernels.size(); ++i) {
    const Verdict& verdict = copies.verdicts[i];
    std::vector<std::size_t> longest = longest_path(copies.kernels[i].listing, verdict.open + 1, verdict.close);
    if (i > 0) {
      auto more = static_cast<std::int64_t>(longest.size()) - static_cast<std::int64_t>(path.indices.size());
      const std::int64_t further = copies.kernels[i].n - copies.kernels[i - 1].n;
      // Instructions that lead to the chain of a block may be in the window or before it.
      if (copies.block && std::abs(more % further) < total(copies.expansion.kinds)) more -= more % further;
      // The first and the last copies may be interleaved with the surrounding code. Those in between are checked for
      // repetition.
      const bool irregular = more % further > most_at_edges || (step && *step != more / further);
      if (more < further || (irregular && !loose)) {
        return fail("broken-chain",
                    fmt::format("{} more copies lengthen the longest chain through registers by {} instructions",
                                further, more));
      }
      step = more / further;
      path.even = path.even && !irregular;
    }
    path.indices = std::move(longest);
  }
  path.step = static_cast<std::size_t>(step.value_or(0));
  return path;
}

Expected<void> periodic(const Listing& listing, const std::vector<std::size_t>& path, std::size_t step) {
  for (std::size_t i = step; i < path.size(); ++i) {
    const std::size_t here = path[i], before = path[i - step];
    if (kind_of(listing.instructions[here]) == kind_of(listing.instructions[before])) continue;
    return fail("broken-chain", fmt::format("the chain does not repeat: {} is where {} was a copy before",
                                            cite(listing, here), cite(listing, before)));
  }
  return {};
}

/// Determines the cycles of the links on the chain, averaged over all copies: the instruction after a link may use a
/// different pipe in each.
Expected<void> take_off_links(const Copies& copies, const std::vector<std::size_t>& path, std::size_t step,
                              Linkage& linkage) {
  const Listing& listing = copies.kernels.back().listing;
  const auto& code = listing.instructions;
  for (std::size_t i = 0; i < step && i + 1 < path.size(); ++i) {
    const std::string kind = kind_of(code[path[i]]);
    if (!copies.links.contains(kind)) continue;
    if (copies.expansion.kinds.contains(kind)) {
      return fail("ambiguous-link",
                  fmt::format("{} both links the copies and is part of them: its share cannot be determined", kind));
    }
    double cycles = 0, times = 0;
    for (std::size_t at = i; at + 1 < path.size(); at += step, ++times) {
      for (std::size_t j = path[at]; j < path[at + 1]; ++j) {
        if (variable_latency(code[path[at]]) || code[j + 1].control.wait_mask != 0) {
          return fail("unknown-link",
                      fmt::format("{} links the copies and its latency is not encoded", cite(listing, path[at])));
        }
        cycles += issue_distance(code[j].control);
      }
    }
    linkage.via.emplace_back(code[path[i]].name(), cycles / times);
  }
  return {};
}

/// Whether an instruction of the path waits for a scoreboard that an instruction depending on the chain sets, or one
/// like that on the path: of two instructions on one pipe only the later one sets a scoreboard, and it may be off the
/// path.
bool by_scoreboard(const Listing& listing, const std::vector<std::size_t>& path) {
  const auto& code = listing.instructions;
  const DefUse uses = def_use(listing, path.front(), path.back() + 1);
  std::set<std::size_t> depend{path.front()};
  for (std::size_t i = path.front(); i <= path.back(); ++i) {
    for (const auto& operand : uses.producers[i - uses.first]) {
      if (std::ranges::any_of(operand, [&](std::size_t from) { return depend.contains(from); })) depend.insert(i);
    }
  }
  for (std::size_t i = 1; i < path.size(); ++i) {
    for (std::size_t from = path[i - 1]; from < path[i]; ++from) {
      const int barrier = code[from].control.write_barrier;
      const bool waits = barrier >= 0 && ((code[path[i]].control.wait_mask >> barrier) & 1U) != 0;
      if (waits && (depend.contains(from) || code[from].opcode == code[path[i - 1]].opcode)) return true;
    }
  }
  return false;
}

/// Why no distance is encoded on a path whose copies are all alike.
std::string why_unencoded(const Listing& listing, const std::vector<std::size_t>& path) {
  const auto& code = listing.instructions;
  if (by_scoreboard(listing, path)) return "by scoreboard";
  for (std::size_t i = path.front() + 1; i <= path.back(); ++i) {
    if (code[i].control.wait_mask != 0) {
      return fmt::format("not claimed: {} waits for what is not on the chain", cite(listing, i));
    }
  }
  return "not claimed: no stall counts say when it is done";
}

/// Why there is no distance if the copies are not a straight line of equal steps.
std::string why_inseparable(const Copies& copies, const Path& path) {
  if (by_scoreboard(copies.kernels.back().listing, path.indices)) return "by scoreboard";
  if (copies.expansion.calls) return "not claimed: it calls a subroutine";
  if (copies.expansion.branches) return "not claimed: it branches";
  return "not claimed: the copies are not all alike";
}

void tell_distance(const Listing& listing, const std::vector<std::size_t>& path, std::size_t step, Linkage& linkage) {
  const auto distance = encoded_distance(listing, path, static_cast<std::int64_t>(path.size() / step));
  if (!distance) {
    linkage.unencoded = why_unencoded(listing, path);
    return;
  }
  linkage.encoded_cycles = distance->cycles();
  linkage.waited_cycles = distance->waits;
}

/// The path may also hold what leads to the chain and what reads its results. Finds the part that repeats. The first
/// and the last copies may be interleaved with the surrounding code.
Expected<std::vector<std::size_t>> repeating_part(const Kernel& largest, const Path& path) {
  const std::size_t edge = 2 * path.step;
  const std::size_t whole = std::min(path.step * static_cast<std::size_t>(largest.n), path.indices.size());
  if (whole < 3 * edge) return fail("broken-chain", "the chain is too short to repeat");
  Expected<void> repeats;
  for (std::size_t skip = 0; skip + whole <= path.indices.size(); ++skip) {
    const auto first = path.indices.begin() + static_cast<std::ptrdiff_t>(skip + edge);
    const std::vector<std::size_t> inside(first, first + static_cast<std::ptrdiff_t>(whole - 2 * edge));
    const auto here = periodic(largest.listing, inside, path.step);
    if (here) return inside;
    if (skip == 0) repeats = here;
  }
  return std::unexpected(repeats.error());
}

}  // namespace

Expected<Linkage> linkage_of(const Copies& copies) {
  auto found = WARPCLOCK_TRY(path_through(copies));
  Linkage linkage;
  // The copies of a long block still are a straight line: if they repeat, their distance is encoded.
  const bool straight = copies.block ? !copies.expansion.branches && !copies.expansion.calls : !copies.uneven;
  linkage.separable = straight && found.even;
  if (!linkage.separable) linkage.unencoded = why_inseparable(copies, found);
  if (!linkage.separable) return linkage;
  const Kernel& largest = copies.kernels.back();
  const auto inside = repeating_part(largest, found);
  if (!inside && copies.block) {
    linkage.separable = false;
    linkage.unencoded = why_inseparable(copies, found);
    return linkage;
  }
  if (!inside) return std::unexpected(inside.error());
  tell_distance(largest.listing, *inside, found.step, linkage);
  WARPCLOCK_TRY(take_off_links(copies, *inside, found.step, linkage));
  return linkage;
}

}  // namespace warpclock
