#include "verify/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "code/modifiers.hpp"
#include "code/pattern.hpp"
#include "verify/chain.hpp"
#include "verify/scoreboard.hpp"
#include "verify/wording.hpp"

namespace warpclock {
namespace {

/// The last one before `open` that matches.
std::optional<std::size_t> newest(const Listing& listing, std::size_t open, std::string_view pattern) {
  for (std::size_t i = open; i-- > 0;) {
    if (matches(listing.instructions[i], pattern)) return i;
  }
  return std::nullopt;
}

/// What takes as long as memory, or another thread, takes: its cycles are not encoded.
bool waits_unknown_cycles(const Instruction& instruction) {
  constexpr std::array<std::string_view, 7> waits{"MEMBAR",    "ERRBAR",  "DEPBAR",      "SYNCS",
                                                  "NANOSLEEP", "ACQBULK", "UCGABAR_WAIT"};
  return from_memory(instruction) || std::ranges::find(waits, instruction.opcode) != waits.end();
}

std::optional<std::string> why_other_delay(const Listing& listing, std::size_t access, std::size_t open,
                                           std::int64_t claimed) {
  std::int64_t encoded = 0;
  for (std::size_t i = access; i < open; ++i) {
    if (i > access && waits_unknown_cycles(listing.instructions[i])) {
      return fmt::format("{} stands in the delay between {} and the opening read: nobody knows how long it takes",
                         cite(listing, i), cite(listing, access));
    }
    encoded += issue_distance(listing.instructions[i].control);
  }
  if (encoded >= claimed && encoded <= claimed + delay_slack) return std::nullopt;
  return fmt::format("{} cycles are encoded from {} to the opening read instead of {} to {}", encoded,
                     cite(listing, access), claimed, claimed + delay_slack);
}

}  // namespace

std::optional<std::string> why_leaky_setup(const Listing& listing, std::size_t open, const Expectation& expect,
                                           const Parameters& parameters) {
  for (const std::string& pattern : expect.before) {
    const auto access = newest(listing, open, pattern);
    const auto leak = access ? find_late_wait(listing, *access, open) : std::nullopt;
    if (!leak) continue;
    return fmt::format(
        "{} waits for {} (scoreboard {}) between {}, which prepares the window, and the opening read: the window opens "
        "later behind it than the probe says",
        cite(listing, leak->waiter), cite(listing, leak->setter), leak->scoreboard, cite(listing, *access));
  }
  if (!expect.delay) return std::nullopt;
  const auto claimed = expect.delay->evaluate(parameters);
  if (!claimed) return claimed.error().message();
  // The last of `before` is what the delay is made of.
  const auto access = newest(listing, open, expect.before[expect.before.size() - 2]);
  return access ? why_other_delay(listing, *access, open, *claimed) : std::nullopt;
}

}  // namespace warpclock
