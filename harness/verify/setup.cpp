#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "code/modifiers.hpp"
#include "code/pattern.hpp"
#include "verify/chain.hpp"
#include "verify/claims.hpp"
#include "verify/scoreboard.hpp"
#include "verify/wording.hpp"

namespace warpclock {
namespace {

/// The last matching instruction before `open`.
std::optional<std::size_t> newest(const Listing& listing, std::size_t open, std::string_view pattern) {
  for (std::size_t i = open; i-- > 0;) {
    if (matches(listing.instructions[i], pattern)) return i;
  }
  return std::nullopt;
}

/// Whether it takes as long as memory or another thread does: its cycles are not encoded.
bool waits_unknown_cycles(const Instruction& instruction) {
  constexpr std::array<std::string_view, 7> waits{"MEMBAR",    "ERRBAR",  "DEPBAR",      "SYNCS",
                                                  "NANOSLEEP", "ACQBULK", "UCGABAR_WAIT"};
  return from_memory(instruction) || std::ranges::find(waits, instruction.opcode) != waits.end();
}

}  // namespace

std::optional<std::string> why_out_of_order(const Listing& listing, std::size_t open, const Expectation& expect) {
  std::optional<std::size_t> last;
  for (const std::string& pattern : expect.before) {
    std::optional<std::size_t> first, newest;
    for (std::size_t i = 0; i < open; ++i) {
      if (!matches(listing.instructions[i], pattern)) continue;
      if (!first) first = i;
      newest = i;
    }
    if (!first) return fmt::format("{} must be before the opening read and is not", pattern);
    if (last && *first < *last) {
      return fmt::format("{} is before {}: ptxas moved what prepares the window", cite(listing, *first),
                         cite(listing, *last));
    }
    last = newest;
  }
  return std::nullopt;
}

std::optional<std::string> why_late_wait(const Listing& listing, std::size_t open, const Expectation& expect) {
  for (const std::string& pattern : expect.before) {
    const auto access = newest(listing, open, pattern);
    const auto leak = access ? find_late_wait(listing, *access, open) : std::nullopt;
    if (!leak) continue;
    return fmt::format(
        "{} waits for {} (scoreboard {}) between {}, which prepares the window, and the opening read: the window opens "
        "later after it than the probe says",
        cite(listing, leak->waiter), cite(listing, leak->setter), leak->scoreboard, cite(listing, *access));
  }
  return std::nullopt;
}

std::optional<std::string> why_other_delay(const Listing& listing, std::size_t open, const Expectation& expect,
                                           const Parameters& parameters) {
  const auto claimed = expect.delay ? expect.delay->evaluate(parameters) : Expected<std::int64_t>(0);
  // The last of `before` makes up the delay.
  const auto access = expect.delay ? newest(listing, open, expect.before[expect.before.size() - 2]) : std::nullopt;
  if (!access || !claimed) return std::nullopt;
  std::int64_t encoded = 0;
  for (std::size_t i = *access; i < open; ++i) {
    if (i > *access && waits_unknown_cycles(listing.instructions[i])) {
      return fmt::format("{} is in the delay between {} and the opening read, and its duration is not known",
                         cite(listing, i), cite(listing, *access));
    }
    encoded += issue_distance(listing.instructions[i].control);
  }
  if (encoded >= *claimed && encoded <= *claimed + delay_slack) return std::nullopt;
  return fmt::format("{} cycles are encoded from {} to the opening read instead of {} to {}", encoded,
                     cite(listing, *access), *claimed, *claimed + delay_slack);
}

}  // namespace warpclock
