#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "code/listing.hpp"
#include "plan/expectation.hpp"

namespace warpclock {

/// Cycles that may be encoded beyond a claimed delay: a barrier, the load that its chain begins with, the reads of what
/// the window needs.
inline constexpr std::int64_t delay_slack = 80;

/// Which opcode of `before` is missing before the opening read or is there before the last of the one that it follows,
/// as a sentence.
[[nodiscard]] std::optional<std::string> why_out_of_order(const Listing& listing, std::size_t open,
                                                          const Expectation& expect);

/// What, between an access that prepares the window and the opening read, waits for a scoreboard that was set before
/// the access, as a sentence: ptxas moves a wait for an earlier load behind a prefetch and the delay after it.
[[nodiscard]] std::optional<std::string> why_late_wait(const Listing& listing, std::size_t open,
                                                       const Expectation& expect);

/// Why the control fields from the access to the opening read do not encode the claimed delay, as a sentence. A loop
/// counts once.
[[nodiscard]] std::optional<std::string> why_other_delay(const Listing& listing, std::size_t open,
                                                         const Expectation& expect, const Parameters& parameters);

}  // namespace warpclock
