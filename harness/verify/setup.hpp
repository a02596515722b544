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

/// Why the opening read, at `open`, may come later behind what prepares the window than the probe says, as a sentence;
/// nothing when it cannot: ptxas moves a wait for an earlier load behind a prefetch and the delay after it. With a
/// claimed delay, what the control fields encode from the access to the opening read is held against it; a loop counts
/// once.
[[nodiscard]] std::optional<std::string> why_leaky_setup(const Listing& listing, std::size_t open,
                                                         const Expectation& expect, const Parameters& parameters);

}  // namespace warpclock
